# SPDX-License-Identifier: Apache-2.0
"""The tasks of dm_control's locomotion are dm_control's, byte for byte, and keep the contract."""

from __future__ import annotations

import functools
import sys
from typing import Any

import dm_control_reference as reference
import envpool
import numpy as np
import pytest
import sampling
from envpool.errors import ConfigError, MissingPackageError
from envpool.testing import CHECKS, check_task
from envpool_mujoco import _dm_control, _locomotion
from locomotion_reference import LOCOMOTION

# dm_control looks for a screen when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*X11")

IDS = list(LOCOMOTION)
STEPS = 1000 if sampling.FULL else 60
ENVS = 4


@functools.cache
def _compared() -> dict[str, dict[str, reference.Difference]]:
    return reference.compare(IDS, STEPS, ENVS)


@pytest.mark.parametrize("task_id", IDS)
def test_like_dm_control(task_id: str) -> None:
    # The tolerance is zero; most episodes end by a fall, and the next start is compared as well.
    arrays = _compared()[task_id]
    assert {name for name, found in arrays.items() if found.differing} == set(), arrays


@pytest.mark.parametrize("task_id", IDS)
def test_what_is_declared(task_id: str) -> None:
    env = reference.load(task_id, 0)
    spec = envpool.make_spec(task_id)
    task = _locomotion.TASKS[LOCOMOTION[task_id]]
    assert task.frame_skip == env._n_sub_steps
    assert task.fps == pytest.approx(1 / env.control_timestep())
    action = spec.action_array_spec["action"]
    np.testing.assert_array_equal(action.minimum, env.action_spec().minimum)
    np.testing.assert_array_equal(action.maximum, env.action_spec().maximum)
    # MuJoCo adds the seconds of an episode up, step by step.
    seconds = np.cumsum(
        np.full(2 * task.frame_skip * task.max_episode_steps, env.physics.timestep())
    )
    ends = seconds[task.frame_skip - 1 :: task.frame_skip] >= env._time_limit
    assert int(np.argmax(ends)) + 1 == task.max_episode_steps == spec.config.max_episode_steps


@pytest.mark.parametrize("name", _locomotion.TASKS)
def test_both_ids(name: str) -> None:
    rows = []
    for task_id in _locomotion.TASKS[name].ids:
        with envpool.make(task_id, "gymnasium", num_envs=1, seed=3) as pool:
            space = pool.action_space
            pool.reset()
            rows.append(pool.step(np.full((1, *space.shape), 0.1)))
    (observation, reward, *_), (other, other_reward, *_) = rows
    for part, values in observation["walker"].items():
        np.testing.assert_array_equal(values, other["walker"][part])
    np.testing.assert_array_equal(reward, other_reward)


def test_go_to_target() -> None:
    # Of these seeds some start within a metre of the target, and all fall.
    with envpool.make("DmcCmuHumanoidGoToTarget-v1", "dm", num_envs=64, seed=0) as pool:
        step = pool.reset()
        near, fallen = np.zeros(64, bool), np.zeros(64, bool)
        for _ in range(60):
            target = step.observation.walker.target
            step = pool.step(np.zeros((64, 56)))
            moved = np.linalg.norm(step.observation.walker.target - target, axis=1) < 1
            # The way to the target is in three dimensions, its reward in two.
            away = np.linalg.norm(step.observation.walker.target, axis=1)
            assert not (step.reward[(away > 2) & moved]).any()
            near |= step.reward == 1
            last = step.step_type == 2
            np.testing.assert_array_equal(step.discount == 0, last)
            fallen |= last
    assert fallen.all()
    assert near.any()


@pytest.mark.parametrize("task_id", IDS)
def test_contract(task_id: str) -> None:
    options = {"render_width": 32, "render_quality": "fast"}
    check_task(task_id, num_envs=2, steps=12, checks=CHECKS, **options)


@pytest.mark.parametrize("task_id", IDS)
def test_saved_states(task_id: str) -> None:
    options = {"num_envs": 1, "max_episode_steps": 9}
    with (
        envpool.make(task_id, "dm", seed=1, **options) as one,
        envpool.make(task_id, "dm", seed=2, **options) as other,
    ):
        actions = reference.random_actions(one.action_spec(), 14, 1)
        one.reset()
        other.reset()
        _play(other, actions[:4])
        for number in (0, 1, 2):
            states = one.save_state()
            other.load_state(states)
            assert other.save_state() == states
            wanted, got = _play(one, actions), _play(other, actions)
            for step, (right, values) in enumerate(zip(wanted, got, strict=True)):
                for name, array in right.items():
                    np.testing.assert_array_equal(array, values[name], f"{name} {number} {step}")
            one.load_state(states)
            _play(one, actions[:1])


def _play(pool: Any, actions: Any) -> list[dict[str, Any]]:
    rows = []
    for action in actions:
        step = pool.step(action)
        flat = reference.flat(step.observation)
        rest = {"reward": step.reward, "discount": step.discount, "step_type": step.step_type}
        rows.append({name: np.array(array) for name, array in (flat | rest).items()})
    return rows


def test_without_dm_control(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dm_control.locomotion.arenas.floors", None)
    monkeypatch.setitem(sys.modules, "dm_control.locomotion.walkers.cmu_humanoid", None)
    _dm_control._model.cache_clear()
    _locomotion.compose.cache_clear()
    with pytest.raises(MissingPackageError, match=r'pip install "envpool-mujoco\[dmc\]"'):
        envpool.make(IDS[0], "gymnasium", num_envs=1)


def test_wrong_task() -> None:
    with pytest.raises(ConfigError, match="task_name"):
        envpool.make_spec(IDS[0], task_name="cmu_humanoid_fly")
