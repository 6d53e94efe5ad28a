# SPDX-License-Identifier: Apache-2.0
"""Every id of EnvPool 1.2.5 and of Gymnasium-Robotics is there, with its arrays and its limit."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import envpool
import model_checks
import numpy as np
import pytest
import robotics_reference
from envpool.errors import ConfigError, MissingPackageError
from envpool_mujoco import family
from envpool_robotics import FAMILY, _findings, _maps

DATA = json.loads(Path(__file__).with_name("ids.json").read_text())
BY_NAME = {name: task for task in FAMILY.envpool_tasks() for name in task.names}
SMALL = {"render_width": 32, "render_height": 32, "render_quality": "fast"}


def test_every_id() -> None:
    assert set(BY_NAME) == set(DATA["ids"])
    assert len(BY_NAME) == 217


@pytest.mark.parametrize("group", DATA["groups"])
def test_arrays(group: str) -> None:
    wanted = DATA["groups"][group]
    names = [name for name, row in DATA["ids"].items() if row[1] == group]
    spec = envpool.make_spec(names[0])
    shapes: Any = spec.observation_space
    if isinstance(wanted["observation"], list):
        assert list(shapes.shape) == wanted["observation"]
    else:
        for key, shape in wanted["observation"].items():
            inner = shape if isinstance(shape, dict) else {"": shape}
            for part, size in inner.items():
                space = shapes[key][part] if part else shapes[key]
                assert list(space.shape) == size
                assert space.dtype == np.float64
    action: Any = spec.action_space
    assert list(action.shape) == wanted["action"]
    assert action.dtype == wanted["dtype"]


def test_limits_and_rewards() -> None:
    for name, (same_as, _, limit, reward) in DATA["ids"].items():
        task = BY_NAME[name]
        assert task.defaults["max_episode_steps"] == limit, name
        assert task.defaults.get("reward_type", "tasks") == reward, name
        assert BY_NAME[same_as] is task, name


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_goals_in_all_flavours(env_type: str) -> None:
    with envpool.make("FetchReach-v1", env_type, num_envs=3, seed=1) as pool:
        if env_type == "dm":
            seen = pool.reset().observation
            goals = [seen.observation, seen.achieved_goal, seen.desired_goal]
        else:
            seen, _ = pool.reset()
            goals = [seen[key] for key in ("observation", "achieved_goal", "desired_goal")]
        assert [goal.shape for goal in goals] == [(3, 10), (3, 3), (3, 3)]


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_kitchen_has_keys_with_spaces(env_type: str) -> None:
    with envpool.make("FrankaKitchen-v1", env_type, num_envs=2) as pool:
        obs, info = pool.reset()
        assert obs["achieved_goal"]["bottom burner"].shape == (2, 2)
        assert info["tasks_to_complete"].tolist() == [[1] * 7] * 2


def test_kitchen_in_dm_env() -> None:
    with envpool.make("FrankaKitchen-v1", "dm", num_envs=2) as pool:
        assert "kettle" in str(pool.observation_spec())
        assert pool.reset().observation is not None


def test_frames_are_stacked() -> None:
    with (
        envpool.make("HandReach-v3", num_envs=2, frame_stack=3, seed=3) as stacked,
        envpool.make("HandReach-v3", num_envs=2, seed=3) as plain,
    ):
        seen = [plain.reset()[0]]
        last = stacked.reset()[0]
        for _ in range(3):
            action = np.full((2, 20), 0.3, np.float32)
            seen.append(plain.step(action)[0])
            last = stacked.step(action)[0]
        for key in ("observation", "achieved_goal", "desired_goal"):
            wanted = np.stack([one[key] for one in seen[-3:]], axis=1)
            np.testing.assert_array_equal(last[key], wanted)


def test_maps_of_both_names() -> None:
    assert _maps.OTHER_NAMES["MEDIUM_MAZE_DIVERSE_G"] == "Medium_Diverse_G"
    assert _maps.OTHER_NAMES["OPEN_DIVERSE_GR"] == "Open_Diverse_GR"
    assert set(_maps.OTHER_NAMES.values()) == set(_maps.MAPS)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("PointMaze_UMaze-v3", {"maze_map": "Huge"}, "UMaze, Open"),
    ("PointMaze_UMaze-v3", {"maze_map": "Mediun"}, "Medium"),
    ("PointMaze_UMaze-v3", {"maze_map": [[1, 2], [1, 1]]}, "a cell 2"),
    ("PointMaze_UMaze-v3", {"maze_map": [[1, 1], [1]]}, "rows of 2, 1 cells"),
    ("PointMaze_UMaze-v3", {"maze_map": []}, "no cells"),
    ("PointMaze_UMaze-v3", {"maze_map": 3}, "list of lists"),
    ("PointMaze_UMaze-v3", {"maze_map": [[1, [0]], [1, 1]]}, "a cell [0]"),
    ("AntMaze_UMaze-v5", {"maze_map": [[1, 1, 1], [1, 0, 1], [1, 1, 1]]}, "another cell"),
    ("FetchReach-v4", {"reward_type": "spare"}, "'sparse', 'dense'"),
    ("FetchReach-v4", {"xml_file": "fetch/nothing.xml"}, "no file"),
    ("FetchReach-v4", {"xml_file": "hand/reach.xml"}, "robot0:grip"),
    ("FetchReach-v4", {"frame_skip": 0}, "1 .. 1000"),
    ("FetchReach-v4", {"frame_skip": 2**31 - 1}, "1 .. 1000"),
    ("HandReach-v3", {"xml_file": "fetch/reach.xml"}, "24"),
    ("HandManipulateBlock-v1", {"target_rotation": "ignore"}, "'xyz', 'z', 'parallel'"),
    ("HandManipulateBlock-v1", {"touch_get_obs": "sensordata"}, "92"),
    ("AdroitHandDoor-v1", {"adroit_task": "window"}, "'door'"),
    ("AdroitHandDoor-v1", {"xml_file": "adroit_hand/adroit_pen.xml"}, "frame"),
    ("AntMaze_UMaze-v5", {"healthy_z_range": [1.0]}, "both ends"),
    ("AntMaze_UMaze-v5", {"contact_force_range": [1.0, -1.0]}, "Exchange the two"),
    # For these the observation's size once differed from the written size.
    ("AntMaze_UMaze-v5", {"version": 6}, "3, 4, 5"),
    ("AntMaze_UMaze-v3", {"version": 2}, "3, 4, 5"),
    # Ranges that failed at the first reset, with errors that did not name the option.
    ("FetchPush-v4", {"obj_range": -1.0}, "obj_range"),
    ("FetchPush-v4", {"obj_range": 0.01}, "0.08 .. 10"),
    ("FetchReach-v4", {"target_range": -0.1}, "target_range"),
    ("HandManipulateBlock-v1", {"target_position_high1": -1.0}, "target_position_low1"),
    ("PointMaze_UMaze-v3", {"position_noise_range": -0.1}, "position_noise_range"),
    # Options that were silently ignored: of an absent object, and values that the map decides.
    ("FetchReach-v4", {"target_offset_x": 0.1}, "of other tasks"),
    ("FetchReachDense-v4", {"obj_range": 0.1}, "of other tasks"),
    ("PointMaze_UMaze-v3", {"cell_size": 2.0}, "of other tasks"),
    ("AntMaze_UMaze-v5", {"map_rows": ["###", "#.#", "###"]}, "of other tasks"),
    ("FrankaKitchen-v1", {"tasks_to_complete": ["toaster"]}, "'kettle'"),
    ("FrankaKitchen-v1", {"tasks_to_complete": []}, "Name one"),
    ("FrankaKitchen-v1", {"xml_file": "fetch/reach.xml"}, "30 and 9"),
]


@pytest.mark.parametrize(("task_id", "options", "text"), BAD)
def test_refused(task_id: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)):
        envpool.make(task_id, **options)


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("nothing.xml", None, "No such file"),
        ("broken.xml", "<mujoco", "unclosed token"),
        ("other.xml", "<html/>", "whose root is <html>"),
    ],
)
def test_agents_of_mazes_that_are_none(
    name: str, content: str | None, text: str, tmp_path: Path
) -> None:
    """The user's file is wrong, not the family."""
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    for task_id in ("PointMaze_UMaze-v3", "AntMaze_UMaze-v5"):
        with pytest.raises(ConfigError, match=re.escape(text)):
            envpool.make(task_id, xml_file=path)


def test_a_pipe_is_no_agent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    with pytest.raises(ConfigError, match="a pipe or a device"):
        envpool.make("PointMaze_UMaze-v3", xml_file=tmp_path / "pipe.xml")


def test_the_name_of_a_map_is_suggested_as_it_is_listed() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'UMaze'"):
        envpool.make("PointMaze_UMaze-v3", maze_map="UMaz")


def test_without_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r'pip install "envpool-robotics\[models\]"'):
        envpool.make("FetchReach-v4")


def test_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    model_checks.check_findings(monkeypatch, _findings.models, "1.3.0")


def test_reward_of_a_goal_that_was_reached_by_chance() -> None:
    """As in hindsight replay: many rows, goals of other episodes."""
    with envpool.make("FetchPush-v4", num_envs=4, seed=0) as pool:
        obs, _ = pool.reset()
        achieved = obs["achieved_goal"]
        assert pool.compute_reward(achieved, achieved, [{}] * 4).tolist() == [0, 0, 0, 0]
        moved = pool.compute_reward(achieved, achieved + np.array([0.1, 0, 0]), {})
        assert moved.dtype == np.float32
        assert moved.tolist() == [-1] * 4
        many = np.broadcast_to(achieved, (5, 4, 3))
        assert pool.compute_reward(many, many, None).shape == (5, 4)
    with envpool.make("FrankaKitchen-v1") as pool:
        assert not hasattr(pool, "compute_reward")


@pytest.mark.parametrize(
    ("achieved", "desired", "text"),
    [
        (np.zeros((4, 2)), np.zeros((4, 2)), "achieved_goal=...): got the shape (4, 2)"),
        (np.zeros(2), np.zeros(2), "shape (..., 3)"),  # one number short, on both sides
        (np.zeros((4, 3)), np.zeros((4, 4)), "desired_goal=...): got the shape (4, 4)"),
        (np.zeros((4, 3)), np.zeros((5, 3)), "beside achieved_goal of (4, 3)"),
        (np.zeros(()), np.zeros(3), "the shape ()"),
        ([[0, 0, 0], [0, 0]], np.zeros(3), "Pass an array"),
        (["a", "b", "c"], np.zeros(3), "the dtype <U1"),
        (None, np.zeros(3), "the dtype object"),
    ],
)
def test_goals_that_compute_reward_refuses(achieved: Any, desired: Any, text: str) -> None:
    with envpool.make("FetchPush-v4") as pool, pytest.raises(ConfigError, match=re.escape(text)):
        pool.compute_reward(achieved, desired, {})


def test_one_goal_for_a_batch() -> None:
    with envpool.make("PointMaze_UMaze-v3") as pool:
        assert pool.compute_reward(np.zeros((5, 2)), np.zeros(2), {}).tolist() == [1] * 5


@pytest.mark.parametrize(
    ("task_id", "rotates"), [("HandManipulatePen-v1", False), ("HandManipulateEgg-v1", True)]
)
def test_rewards_of_rotations(task_id: str, rotates: bool) -> None:
    """A pen looks the same after a rotation about its axis."""
    with envpool.make(task_id, num_envs=2, seed=0, reward_type="dense") as pool:
        obs, _ = pool.reset()
        goal = np.tile([0.0, 0, 0, 1, 0, 0, 0], (2, 1))
        turned = np.tile([0.0, 0, 0, np.cos(0.5), 0, 0, np.sin(0.5)], (2, 1))
        assert obs["desired_goal"].shape == goal.shape
        reward = pool.compute_reward(turned, goal, {})
        np.testing.assert_allclose(reward, -1.0 if rotates else 0.0, atol=1e-7)


@pytest.mark.parametrize(
    "task_id",
    ["FetchPush-v4", "HandManipulateBlockRotateZ-v1", "AdroitHandRelocate-v1", "PointMaze_Open-v3"],
)
def test_a_frame_shows_the_goal_and_changes_nothing(task_id: str) -> None:
    options: dict[str, Any] = {"num_envs": 2, "seed": 4, **SMALL}
    with (
        envpool.make(task_id, render_mode="rgb_array", **options) as drawn,
        envpool.make(task_id, **options) as plain,
    ):
        rng = np.random.default_rng(0)
        drawn.reset(), plain.reset()
        for _ in range(4):
            frame = drawn.render()
            assert frame is not None
            assert np.asarray(frame).std() > 0
            action = rng.uniform(-1, 1, (2, *plain.action_space.shape)).astype(np.float32)
            ours, theirs = drawn.step(action), plain.step(action)
            np.testing.assert_equal(ours[:2], theirs[:2])


@pytest.mark.parametrize(
    "task_id", ["FetchPush-v4", "HandReach-v3", "AdroitHandDoor-v1", "PointMaze_UMaze-v3"]
)
def test_frames_and_depths_are_the_references(task_id: str) -> None:
    env: Any = robotics_reference.make_reference(task_id, render_mode="rgb_array").unwrapped
    with (
        envpool.make(task_id, seed=3, render_mode="rgbd_tuple") as both,
        envpool.make(task_id, seed=3, render_mode="depth_array") as depths,
    ):
        env.reset(seed=3), both.reset(), depths.reset()
        rgb, depth = both.render()
        np.testing.assert_array_equal(rgb[0], env.render())
        renderer = getattr(env, "point_env", env).mujoco_renderer  # of a maze: its robot has it
        np.testing.assert_array_equal(depth[0], renderer.render("depth_array"))
        np.testing.assert_array_equal(depths.render(), depth)
        assert depth.dtype == np.float32
        assert depth.min() < depth.max()
    env.close()
