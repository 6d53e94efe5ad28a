# SPDX-License-Identifier: Apache-2.0
"""One environment of locomotion that starts again and again, or steps, here and in dm_control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import locomotion_reference
import numpy as np


def ours(task_id: str) -> Callable[[], Any]:
    """A reset of one environment."""
    return _pool(task_id).reset


def theirs(task_id: str) -> Callable[[], Any]:
    """The same, which composes and compiles the model."""
    return _env(task_id).reset


def our_steps(task_id: str, steps: int) -> Callable[[], Any]:
    """The first steps of an episode, always of the same one."""
    pool = _pool(task_id)
    states = pool.save_state()
    action = np.zeros((1, *pool.action_spec().shape))

    def play() -> None:
        pool.load_state(states)
        for _ in range(steps):
            pool.step(action)

    return play


def their_steps(task_id: str, steps: int) -> Callable[[], Any]:
    """The same."""
    env = _env(task_id)
    state = env.physics.get_state()
    action = np.zeros(env.action_spec().shape)

    def play() -> None:
        env.physics.set_state(state)
        env.physics.forward()
        for _ in range(steps):
            env.step(action)

    return play


def _pool(task_id: str) -> Any:
    import envpool

    pool = envpool.make(task_id, "dm", num_envs=1, num_threads=1, seed=1)
    pool.reset()
    return pool


def _env(task_id: str) -> Any:
    env = locomotion_reference.load(locomotion_reference.LOCOMOTION[task_id], 1)
    env.reset()
    return env
