# SPDX-License-Identifier: Apache-2.0
"""Ids, arrays, options, pools of mixed tasks, and what is said where something is missing."""

from __future__ import annotations

import re
from typing import Any

import envpool
import metaworld_reference
import model_checks
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError, SavedStateError
from envpool_metaworld import BENCHMARKS, FAMILY, _findings
from envpool_mujoco import family
from metaworld import env_dict

BY_NAME = {name: task for task in FAMILY.envpool_tasks() for name in task.names}
SMALL: dict[str, Any] = {"render_width": 32, "render_height": 32, "render_quality": "fast"}


def test_every_id() -> None:
    """EnvPool 1.2.5's fifty, the reference's names, and the benchmarks."""
    assert len(BY_NAME) == 2 * 50 + len(BENCHMARKS)
    for name in metaworld_reference.NAMES:
        words, version = name.rsplit("-", 1)
        upstream = "".join(word.capitalize() for word in words.split("-"))
        task = BY_NAME[f"MetaWorld/{upstream}-{version}"]
        assert BY_NAME[f"MetaWorld/{name}"] is task
        assert task.defaults["max_episode_steps"] == 500


@pytest.mark.parametrize("name", BENCHMARKS)
def test_benchmarks_are_the_references(name: str) -> None:
    theirs = getattr(env_dict, name.split("-")[0] + "_V3")
    if "-" in name:
        theirs = theirs[name.split("-")[1]]
    assert tuple(theirs) == BENCHMARKS[name]


def test_arrays() -> None:
    spec = envpool.make_spec("MetaWorld/PickPlace-v3", partially_observable=False)
    space: Any = spec.observation_space
    assert (space.shape, space.dtype) == ((39,), np.float64)
    assert space.high[36:].tolist() == [0.1, 0.9, 0.3]
    action: Any = spec.action_space
    assert (action.shape, action.dtype) == ((4,), np.float32)


def test_a_pool_of_mixed_tasks() -> None:
    """Each environment plays its own task, and says which in the observation."""
    names = BENCHMARKS["MT10"]
    with envpool.make("MetaWorld/MT10", seed=4) as pool:
        assert len(pool) == 10
        obs, info = pool.reset()
        assert info["task_id"].tolist() == list(range(10))
        np.testing.assert_array_equal(obs[:, 39:], np.eye(10))
        action = np.full((10, 4), 0.5, np.float32)
        after, _, _, _, told = pool.step(action)
    for i in (2, 7):
        env = metaworld_reference.Reference(names[i], 4 + i, "mt1", hidden=False)
        np.testing.assert_array_equal(obs[i, :39], env.reset()[0])
        theirs, reward, *_ = env.env.step(action[i])
        np.testing.assert_array_equal(after[i, :39], theirs)
        assert told["unscaled_reward"][i] == reward


def test_states_of_mixed_tasks() -> None:
    """They go on exactly in environments of the same tasks; others refuse them and go on."""
    actions = np.random.default_rng(0).uniform(-1, 1, (4, 7, 4)).astype(np.float32)
    with (
        envpool.make("MetaWorld/ML10-test", num_envs=7, seed=0) as pool,
        envpool.make("MetaWorld/ML10-test", num_envs=7, seed=9) as other,
    ):
        pool.reset()
        other.reset()
        saved = pool.save_state()
        wanted = [pool.step(action)[0].copy() for action in actions]
        for loaded in (pool, other):
            loaded.load_state(saved)
            with pytest.raises(SavedStateError, match="of another model"):
                loaded.load_state(saved[:1], [1])
            loaded.load_state(saved[:1], [5])  # which plays the task of environment 0
            for action, obs in zip(actions, wanted, strict=True):
                action[5] = action[0]
                after = loaded.step(action)[0]
                np.testing.assert_array_equal(after[[0, 1, 2, 3, 4, 6]], obs[[0, 1, 2, 3, 4, 6]])
                np.testing.assert_array_equal(after[5], obs[0])


def test_more_environments_than_tasks() -> None:
    with envpool.make("MetaWorld/ML10-test", num_envs=7, seed=0) as pool:
        obs, info = pool.reset()
        assert obs.shape == (7, 39)
        assert info["task_id"].tolist() == [0, 1, 2, 3, 4, 0, 1]
        assert not obs[:, 36:].any()


def test_seeds_mean_something() -> None:
    with envpool.make("MetaWorld/Push-v3", num_envs=2, partially_observable=False) as pool:
        first, second = pool.reset(seed=7)[0].copy(), pool.reset()[0].copy()
        assert not np.array_equal(first, second)
        np.testing.assert_array_equal(pool.reset(seed=7)[0], first)
        np.testing.assert_array_equal(pool.reset()[0], second)
        assert not np.array_equal(first[0], first[1])


def test_one_goal_for_ever() -> None:
    with envpool.make("MetaWorld/Push-v3", goals="single", partially_observable=False) as pool:
        goals = {tuple(pool.reset()[0][0, 36:]) for _ in range(4)}
        assert len(goals) == 1
        assert tuple(pool.reset(seed=9)[0][0, 36:]) not in goals


def test_success_may_end_an_episode() -> None:
    options: dict[str, Any] = {"terminate_on_success": True, "partially_observable": False}
    with envpool.make("MetaWorld/DrawerClose-v3", **options) as pool:
        obs, _ = pool.reset()
        for _ in range(150):
            action = metaworld_reference.scripted("drawer-close-v3", obs[0])[None]
            obs, _, terminated, _, info = pool.step(action)
            assert bool(terminated[0]) == (info["success"][0] == 1)
            if terminated[0]:
                return
    raise AssertionError("the scripted policy has not closed the drawer")


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_flavours(env_type: str) -> None:
    with envpool.make("MetaWorld/MT10", env_type, num_envs=3, frame_stack=2) as pool:
        if env_type == "dm":
            assert pool.reset().observation.obs.shape == (3, 2, 49)
        else:
            assert pool.reset()[0].shape == (3, 2, 49)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"task_names": ["reach"]}, "'reach-v3'"),
    ({"task_names": []}, "Name some"),
    ({"goals": "mt10"}, "'random', 'mt1', 'ml1-test', 'single'"),
    ({"frame_skip": 0}, "1 .. 200"),
    ({"frame_skip": 2**31 - 1}, "1 .. 200"),
    ({"frame_stack": 0}, "1 .. 1024"),
    ({"camera_name": "corner9"}, "corner3"),
    ({"render_quality": "best"}, "full"),
]


@pytest.mark.parametrize(("options", "text"), BAD)
def test_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)):
        envpool.make("MetaWorld/Reach-v3", **options)


@pytest.mark.parametrize("name", ["WindowClose-v3", "LeverPull-v3", "DoorLock-v3"])
def test_a_saved_start_and_a_frame_change_nothing(name: str) -> None:
    """Also where things were moved after the last computation of the beginning."""
    options: dict[str, Any] = {"num_envs": 2, "seed": 4, **SMALL}
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (5, 2, 4)).astype(np.float32)
    with envpool.make(f"MetaWorld/{name}", **options) as plain:
        plain.reset()
        wanted = [plain.step(action)[0].copy() for action in actions]
    with envpool.make(f"MetaWorld/{name}", render_mode="rgb_array", **options) as pool:
        pool.reset()
        assert np.asarray(pool.render()).std() > 0
        saved = pool.save_state()
        for _ in range(2):
            for action, obs in zip(actions, wanted, strict=True):
                np.testing.assert_array_equal(pool.step(action)[0], obs)
            pool.load_state(saved)


def test_frames_and_depths_are_the_references() -> None:
    """After a step: at a start, the reference draws what it has not computed yet where it was."""
    reference = metaworld_reference.Reference("window-close-v3", 3, "random", hidden=True)
    action = np.ones(4, np.float32)
    with (
        envpool.make("MetaWorld/WindowClose-v3", seed=3, render_mode="rgbd_tuple") as both,
        envpool.make("MetaWorld/WindowClose-v3", seed=3, render_mode="depth_array") as depths,
    ):
        for pool in (both, depths):
            pool.reset()
            pool.step(action[None])
        reference.reset()
        reference.env.step(action)
        draw = reference.env.mujoco_renderer.render
        rgb, depth = both.render()
        np.testing.assert_array_equal(rgb[0], draw("rgb_array"))
        np.testing.assert_array_equal(depth[0], draw("depth_array"))
        np.testing.assert_array_equal(depths.render(), depth)
        assert depth.dtype == np.float32
        assert depth.min() < depth.max()
        draw.__self__.close()


def test_without_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r'pip install "envpool-metaworld\[models\]"'):
        envpool.make("MetaWorld/Reach-v3")


def test_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    model_checks.check_findings(monkeypatch, _findings.models, "2.0.0")
