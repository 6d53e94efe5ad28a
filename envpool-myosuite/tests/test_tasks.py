# SPDX-License-Identifier: Apache-2.0
"""Ids, arrays, options, and what is said where something is missing."""

from __future__ import annotations

import re
from typing import Any

import envpool
import gymnasium
import myosuite_reference
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool_myosuite import _findings, envpool_tasks

TASKS = {task.id: task for task in envpool_tasks()}
CLASSES = ("pose_v0:PoseEnvV0", "reach_v0:ReachEnvV0")
SMALL: dict[str, Any] = {"render_width": 32, "render_height": 32, "render_quality": "fast"}


def test_every_id_of_two_classes() -> None:
    """But those of the arm, whose model the reference edits."""
    theirs = {
        name
        for name, spec in gymnasium.registry.items()
        if "myobase" in str(spec.entry_point) and str(spec.entry_point).endswith(CLASSES)
    }
    assert {name for name in theirs if "ArmReach" not in name} == set(TASKS)
    assert len(TASKS) == 84
    for name, task in TASKS.items():
        assert task.names == (name, f"MyoSuite/{name}")
        assert task.defaults["max_episode_steps"] == gymnasium.spec(name).max_episode_steps


@pytest.mark.parametrize("name", ["myoElbowPose1D6MExoFixed-v0", "motorFingerReachFixed-v0"])
def test_arrays(name: str) -> None:
    env = myosuite_reference.make_reference(name, seed=0)
    spec = envpool.make_spec(name)
    assert spec.observation_space == env.observation_space
    assert spec.action_space == env.action_space


def test_resets_are_random_and_seeds_mean_something() -> None:
    with envpool.make("myoElbowPose1D6MRandom-v0", num_envs=2) as pool:
        first, second = pool.reset(seed=7)[0].copy(), pool.reset()[0].copy()
        assert not np.array_equal(first, second)
        assert not np.array_equal(first[0], first[1])
        np.testing.assert_array_equal(pool.reset(seed=7)[0], first)
        np.testing.assert_array_equal(pool.reset()[0], second)


def test_an_extra_weight_changes_what_an_arm_does() -> None:
    name, action = "myoElbowPose1D6MExoRandom-v0", np.full((1, 7), -0.5, np.float32)
    ends = []
    for weight in (0.1, 2.0):
        with envpool.make(name, seed=3, weight_low=weight, weight_high=weight) as pool:
            pool.reset()
            for _ in range(10):
                obs = pool.step(action)[0]
            ends.append(obs[0, 0])
    assert ends[0] != ends[1]


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_flavours(env_type: str) -> None:
    with envpool.make("myoFingerPoseRandom-v0", env_type, num_envs=3, frame_stack=2) as pool:
        if env_type == "dm":
            assert pool.reset().observation.obs.shape == (3, 2, 17)
        else:
            assert pool.reset()[0].shape == (3, 2, 17)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("myoElbowPose1D6MRandom-v0", {"muscle_condition": "tired"}, "'fatigue'"),
    ("myoElbowPose1D6MRandom-v0", {"muscle_condition": "reafferentation"}, "EPL"),
    ("myoElbowPose1D6MRandom-v0", {"target_type": "switch"}, "'generate', 'fixed'"),
    ("myoElbowPose1D6MRandom-v0", {"reset_type": "none"}, "'init', 'random'"),
    ("myoElbowPose1D6MRandom-v0", {"target_low": [0.0, 1.0]}, "one for each joint"),
    ("myoElbowPose1D6MRandom-v0", {"weight_body": "carry_weight"}, "carry_weight"),
    ("myoElbowPose1D6MRandom-v0", {"xml_file": "nothing.xml"}, "no file"),
    ("myoElbowPose1D6MRandom-v0", {"frame_skip": 0}, "1 or more"),
    ("myoFingerReachRandom-v0", {"sites": []}, "three for each of `sites`"),
    ("myoFingerReachRandom-v0", {"sites": ["THtip"]}, "THtip"),
    ("myoElbowPose1D6MRandom-v0", {"weight_body": "base"}, "no geom"),
    ("myoElbowPose1D6MRandom-v0", {"target_low": [3.0]}, "at least target_low's 3"),
    ("myoElbowPose1D6MExoRandom-v0", {"weight_low": 3.0}, "0 < weight_low <= weight_high"),
]


@pytest.mark.parametrize(("task_id", "options", "text"), BAD)
def test_refused(task_id: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(text)):
        envpool.make(task_id, **options)


@pytest.mark.parametrize("name", ["myoFatiFingerPoseRandom-v0", "myoFingerReachRandom-v0"])
def test_a_saved_state_and_a_frame_change_nothing(name: str) -> None:
    options: dict[str, Any] = {"num_envs": 2, "seed": 4, **SMALL}
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (5, 2, 5)).astype(np.float32)
    with envpool.make(name, **options) as plain:
        plain.reset()
        plain.step(actions[0])
        wanted = [plain.step(action)[0].copy() for action in actions]
    with envpool.make(name, render_mode="rgb_array", **options) as pool:
        pool.reset()
        pool.step(actions[0])
        assert np.asarray(pool.render()).std() > 0
        saved = pool.save_state()
        for _ in range(2):
            for action, obs in zip(actions, wanted, strict=True):
                np.testing.assert_array_equal(pool.step(action)[0], obs)
            pool.load_state(saved)


def test_depths() -> None:
    with envpool.make("myoElbowPose1D6MFixed-v0", render_mode="rgbd_tuple", **SMALL) as pool:
        pool.reset()
        rgb, depth = pool.render()
        assert rgb.shape == (1, 32, 32, 3)
        assert depth.shape == (1, 32, 32)
        assert depth.dtype == np.float32
        assert depth.min() < depth.max()


def test_without_the_models(monkeypatch: pytest.MonkeyPatch) -> None:
    from envpool_mujoco import family

    monkeypatch.setattr(family, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"pip install --no-deps myosuite==2\.12\.2"):
        envpool.make("myoElbowPose1D6MFixed-v0")


def test_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _findings.models().status == "ok"
    monkeypatch.setattr(_findings, "version", lambda name: "3.0.0")
    assert _findings.models().status == "warning"

    def missing(name: str) -> str:
        raise _findings.PackageNotFoundError(name)

    monkeypatch.setattr(_findings, "version", missing)
    assert _findings.models().status == "missing"
