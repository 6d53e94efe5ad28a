# SPDX-License-Identifier: Apache-2.0
"""The same results as `gymnasium.vector.SyncVectorEnv`: rewards as float32, all else exactly."""

from __future__ import annotations

import functools

import envpool
import envpool_python
import gymnasium
import pytest
from alignment import MODES, NUM_ENVS, compare
from gymnasium.vector import SyncVectorEnv
from toys import SPACES, Sampler


@pytest.mark.parametrize("mode", MODES)
def test_every_observation_space(mode: str) -> None:
    for name in SPACES:
        make = functools.partial(Sampler, name)
        reference = SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=MODES[mode])
        with envpool_python.make(
            [make] * NUM_ENVS, "vector", autoreset_mode=mode, num_workers=2
        ) as pool:
            assert pool.single_observation_space == SPACES[name]
            assert pool.observation_space == reference.observation_space
            assert compare(pool, reference, mode, 40) > 5, name


def test_every_action_space() -> None:
    for name in SPACES:
        make = functools.partial(Sampler, "box", name)
        reference = SyncVectorEnv([make] * NUM_ENVS)
        with envpool_python.make([make] * NUM_ENVS, "vector", num_workers=2) as pool:
            assert pool.single_action_space == SPACES[name]
            compare(pool, reference, "next_step", 20)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task_id", ["CartPole-v1", "LunarLander-v3", "Taxi-v4"])
def test_gymnasium_tasks(task_id: str, mode: str) -> None:
    kwargs = {"max_episode_steps": 30}
    reference = SyncVectorEnv(
        [lambda: gymnasium.make(task_id, **kwargs)] * NUM_ENVS, autoreset_mode=MODES[mode]
    )
    with envpool.make(
        f"python:{task_id}", "vector", num_envs=NUM_ENVS, autoreset_mode=mode, **kwargs
    ) as pool:
        assert compare(pool, reference, mode, 70) >= NUM_ENVS
