# SPDX-License-Identifier: Apache-2.0
"""Refused values, with which upstream crashes or which it ignores; step limits; missions."""

from __future__ import annotations

from pathlib import Path

import envpool
import numpy as np
import pytest
from envpool.errors import ActionError, ConfigError, WorkerError
from envpool_minigrid import FAMILY, decode_mission
from envpool_minigrid._pictures import FILES, read_png
from pictures import file_of, picture

EMPTY, LOCAL, WFC = "MiniGrid-Empty-8x8-v0", "BabyAI-GoToLocal-v0", "MiniGrid-WFC-MazeSimple-v0"


@pytest.mark.parametrize(
    ("task_id", "options", "text"),
    [
        (EMPTY, {"size": 2}, "4 .. 128"),
        (EMPTY, {"mission_bytes": 8}, "96 .. 65536"),
        (LOCAL, {"mission_bytes": 96}, "321 .. 65536"),
        (EMPTY, {"agent_view_size": 4}, "odd numbers"),
        (EMPTY, {"agent_view_size": 65}, "3 .. 63"),
        (EMPTY, {"action_max": 7}, "2 .. 6"),
        (EMPTY, {"tile_size": 1000}, "0 .. 256"),
        (EMPTY, {"obs_mode": "ful"}, "'full'"),
        (EMPTY, {"agent_start_pos": [9, 9]}, "of a free cell"),
        (EMPTY, {"agent_start_dir": 4}, r"0 \.\. 3"),
        (EMPTY, {"num_dists": 3}, "Leave it out"),
        ("MiniGrid-LavaGapS5-v0", {"obstacle_type": "water"}, "'lava', 'wall'"),
        ("MiniGrid-LavaCrossingS9N1-v0", {"size": 8}, "odd"),
        ("MiniGrid-ObstructedMaze-Full-v1", {"agent_room": [3, 0]}, "3 x 3 rooms"),
        ("BabyAI-OpenTwoDoors-v0", {"first_color": "pink"}, "'red'"),
        ("BabyAI-OpenDoorsOrderN2-v0", {"num_doors": 5}, "2 .. 4"),
        ("BabyAI-BossLevel-v0", {"action_kinds": "goto,jump"}, "'putnext'"),
        ("BabyAI-BossLevel-v0", {"locked_room_prob": 1.5}, "0 .. 1"),
        (WFC, {}, "pattern_path"),
        (WFC, {"pattern_path": "nowhere.png"}, "no picture"),
        (WFC, {"pattern_path": "/dev/zero"}, "a pipe or a device"),
        (WFC, {"wfc_picture": [1, 2, 3]}, "height, width"),
    ],
)
def test_refused(task_id: str, options: dict[str, object], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        envpool.make(task_id, **options)


def test_actions_are_checked() -> None:
    with envpool.make(EMPTY) as pool:
        pool.reset()
        with pytest.raises(ActionError, match=r"0 \.\. 6"):
            pool.step(np.array([7]))


def test_a_level_that_cannot_be_made_is_an_error() -> None:
    """With these options minigrid would draw levels for ever."""
    for task_id, options, text in (
        ("MiniGrid-Fetch-5x5-N2-v0", {"num_objs": 30}, "no cell left"),
        (LOCAL, {"room_size": 4, "num_dists": 20}, "fewer objects"),
    ):
        pool = envpool.make(task_id, **options)
        with pool, pytest.raises(WorkerError, match=text):
            pool.reset()


def test_limits_of_steps() -> None:
    for options, limit in (
        ({}, 256),
        ({"size": 6}, 144),
        ({"size": 6, "max_episode_steps": 9}, 9),
    ):
        with envpool.make(EMPTY, **options) as pool:
            assert pool.reset()[1]["max_steps"].tolist() == [limit]
            for _ in range(limit):
                _, _, terminated, truncated, _ = pool.step(np.array([0]))
            assert (terminated.tolist(), truncated.tolist()) == ([False], [True])


def test_success_in_the_last_step_is_both() -> None:
    with envpool.make("MiniGrid-Empty-5x5-v0", max_episode_steps=5) as pool:
        pool.reset()
        for action in (2, 2, 1, 2, 2):
            _, reward, terminated, truncated, _ = pool.step(np.array([action]))
    assert (reward.tolist(), terminated[0], truncated[0]) == ([np.float32(1 - 0.9)], True, True)


def test_missions() -> None:
    with envpool.make("MiniGrid-GoToDoor-5x5-v0", num_envs=64, seed=1) as pool:
        obs, info = pool.reset()
    texts = decode_mission(obs["mission"])
    assert texts.shape == (64,) and texts[0] == decode_mission(obs["mission"][0])
    colors = ("red", "green", "blue", "purple", "yellow", "grey")
    for text, number in zip(texts, info["mission_id"], strict=True):
        assert text == f"go to the {colors[number]} door"
    assert set(info["mission_id"]) == set(range(6))
    with pytest.raises(ConfigError, match="dtype uint8"):
        decode_mission(np.zeros(3))


def test_missions_are_texts_in_the_strict_flavour() -> None:
    options = {"num_envs": 3, "seed": 1, "max_episode_steps": 2, "autoreset_mode": "same_step"}
    with envpool.make("BabyAI-GoToObj-v0", env_type="vector", **options) as pool:
        obs, _ = pool.reset()
        assert pool.observation_space.contains(obs)
        assert all(text.startswith("go to the ") for text in obs["mission"])
        for _ in range(2):
            obs, *_, info = pool.step(np.zeros(3, np.int64))
        assert pool.observation_space.contains(obs)
        final = info["final_obs"][0]
        assert pool.single_observation_space.contains(final) and final["mission"]


def test_ids_are_those_of_minigrid() -> None:
    ids = [task.id for task in FAMILY.envpool_tasks()]
    assert len(ids) == len(set(ids)) == 178
    assert sum(task_id.startswith("BabyAI-") for task_id in ids) == 96


def test_pictures(tmp_path: Path) -> None:
    """A file, a folder with minigrid's names, and numbers are the same."""
    rgb = picture("MazeSimple")
    np.testing.assert_array_equal(read_png(file_of("MazeSimple").read_bytes()), rgb)
    (tmp_path / FILES["MazeSimple"]).write_bytes(file_of("MazeSimple").read_bytes())
    grids = []
    for options in (
        {"pattern_path": str(file_of("MazeSimple"))},
        {"pattern_path": str(tmp_path)},
        {"wfc_picture": [4, 4, *rgb.ravel().tolist()]},
    ):
        with envpool.make(WFC, obs_mode="full", seed=3, **options) as pool:
            grids.append(pool.reset()[0]["image"])
    np.testing.assert_array_equal(grids[0], grids[1])
    np.testing.assert_array_equal(grids[0], grids[2])


def test_frames_in_other_sizes() -> None:
    shapes = {}
    for width, height in ((None, None), (100, None), (None, 64), (50, 30)):
        options = {"render_mode": "rgb_array", "render_width": width, "render_height": height}
        with envpool.make("MiniGrid-DistShift1-v0", **options) as pool:
            pool.reset()
            shapes[width, height] = pool.render()[0].shape
    assert [*shapes.values()] == [(224, 288, 3), (78, 100, 3), (64, 82, 3), (30, 50, 3)]
    with envpool.make("MiniGrid-DoorKey-5x5-v0", from_pixels=True, frame_stack=2) as pool:
        assert pool.reset()[0].shape == (1, 6, 84, 84)  # no other observation exists
