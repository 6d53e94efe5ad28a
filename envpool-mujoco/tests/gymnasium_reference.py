# SPDX-License-Identifier: Apache-2.0
"""Plays a task of Gymnasium beside ours, and lists the differences.

    comparison = compare("Ant-v5", steps=1000)
    assert comparison.equal, comparison.differing

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is Gymnasium's float64 as float32, which a pool returns.
"""

from __future__ import annotations

import warnings
from typing import Any
from unittest import mock

import envpool
import gymnasium
import mujoco
from envpool.testing.fidelity import Comparison, play_beside

UNKNOWN_TO_GYMNASIUM = {"env_id", "players", "elapsed_step", "mujoco_warning"}


def make_reference(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Gymnasium's environment; Pusher-v4 as well, which it refuses to make with MuJoCo 3."""
    with warnings.catch_warnings(), mock.patch.object(mujoco, "__version__", "2.3.7"):
        warnings.simplefilter("ignore")
        return gymnasium.make(task_id, disable_env_checker=True, **options)


def compare(
    task_id: str, steps: int, num_envs: int = 2, seed: int = 5, **options: Any
) -> Comparison:
    """Steps both with the same random actions; environments that end begin again."""
    references = [make_reference(task_id, **options) for _ in range(num_envs)]
    with envpool.make(task_id, num_envs=num_envs, seed=seed, **options) as pool:
        assert pool.action_space == references[0].action_space
        assert pool.observation_space == references[0].observation_space
        return play_beside(pool, references, steps=steps, seed=seed)
