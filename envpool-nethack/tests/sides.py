# SPDX-License-Identifier: Apache-2.0
"""The sides that speed.py compares: environments of nle and MiniHack, and their vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def _registered(task: str) -> Any:
    """One environment by `gymnasium.make`."""
    warnings.simplefilter("ignore")
    import gymnasium

    __import__("minihack" if task.startswith("MiniHack") else "nle.env")
    return gymnasium.make(task)


def one(task: str) -> Callable[[], Any]:
    """A step of one environment by random actions, with the reset after an end."""
    env = _registered(task)
    env.reset()
    actions = iter(np.random.default_rng(0).integers(0, env.action_space.n, 10_000_000).tolist())

    def step() -> Any:
        found = env.step(next(actions))
        return env.reset() if found[2] or found[3] else found

    return step


def envs_of(task: str, num_envs: int) -> Any:
    """Gymnasium's vector with a process for each environment."""
    from functools import partial

    from gymnasium.vector import AsyncVectorEnv

    return AsyncVectorEnv([partial(_registered, task)] * num_envs)


def vector(task: str, num_envs: int) -> Callable[[], Any]:
    """A step of Gymnasium's vector."""
    envs = envs_of(task, num_envs)
    envs.reset()
    draw = np.random.default_rng(0)
    count = int(envs.single_action_space.n)
    return lambda: envs.step(draw.integers(0, count, num_envs))


def made(task: str) -> Callable[[], Any]:
    """A new environment and its first reset."""
    warnings.simplefilter("ignore")

    def make() -> Any:
        env = _registered(task)
        env.reset()
        env.close()

    return make


def made_here(task: str, num_envs: int) -> Callable[[], Any]:
    """A new pool and its first reset."""
    import envpool

    def make() -> Any:
        with envpool.make(task, num_envs=num_envs, num_threads=1) as pool:
            pool.reset()

    return make
