# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python, stepped by our pool and by those of peers."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SLEEP = 0.002  # seconds that a step of the uneven environments takes; one in eight, ten times that
Functions = Sequence[Callable[[], Any]]


class Images(gymnasium.Env[Any, Any]):
    """A ready frame of 84 x 84 x 4; only its transport is measured."""

    observation_space = spaces.Box(0, 255, (84, 84, 4), np.uint8)
    action_space = spaces.Discrete(4)

    def __init__(self) -> None:
        """Draws eight frames."""
        self._frames = np.random.default_rng(0).integers(0, 256, (8, 84, 84, 4), np.uint8)
        self._steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """The first frame."""
        super().reset(seed=seed)
        self._steps = 0
        return self._frames[0], {}

    def step(self, action: Any) -> Any:
        """The next one."""
        self._steps += 1
        return self._frames[self._steps % 8], 1.0, self._steps % 1000 == 0, False, {}


class Sleeper(gymnasium.Env[Any, Any]):
    """Waits, as for a simulator in another process."""

    observation_space = spaces.Box(0, 1, (4,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, seconds: float) -> None:
        """Keeps how long."""
        self._seconds = seconds

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Zeros."""
        return np.zeros(4, np.float32), {}

    def step(self, action: Any) -> Any:
        """Zeros, after a while."""
        time.sleep(self._seconds)
        return np.zeros(4, np.float32), 0.0, False, False, {}


def ours(task: str, num_envs: int, batch_size: int, **options: Any) -> Callable[[], Any]:
    """A step of our pool, or recv and send of an asynchronous one."""
    import envpool_python

    pool = envpool_python.make(_functions(task, num_envs), batch_size=batch_size, **options)
    action = _actions(batch_size)
    if batch_size == num_envs:
        pool.reset()
        return lambda: pool.step(action)
    pool.async_reset()

    def recv_and_send() -> None:
        info = pool.recv()[-1]
        pool.send(action, info["env_id"])

    return recv_and_send


def gymnasiums(task: str, num_envs: int) -> Callable[[], Any]:
    """A step of `gymnasium.vector.AsyncVectorEnv`, with its shared memory."""
    from gymnasium.vector import AsyncVectorEnv

    return _stepped(AsyncVectorEnv(_functions(task, num_envs), shared_memory=True), num_envs)


def stable_baselines3s(task: str, num_envs: int) -> Callable[[], Any]:
    """A step of `SubprocVecEnv`."""
    library: Any = importlib.import_module("stable_baselines3.common.vec_env")
    # Not its "forkserver", which imports PyTorch in each of 64 processes.
    return _stepped(
        library.SubprocVecEnv(_functions(task, num_envs), start_method="fork"), num_envs
    )


def _stepped(envs: Any, num_envs: int) -> Callable[[], Any]:
    envs.reset()
    action = _actions(num_envs)
    return lambda: envs.step(action)


def _actions(count: int) -> Any:
    return np.random.default_rng(0).integers(0, 2, count)


def _functions(task: str, num_envs: int) -> Functions:
    """The functions that make the environments of a row of the table."""
    if task.startswith("image"):
        return [Images] * num_envs
    if task == "uneven":
        return [
            lambda i=i: Sleeper(SLEEP * (10 if i % 8 == 0 else 1))  # type: ignore[misc]
            for i in range(num_envs)
        ]
    return [lambda: gymnasium.make(task)] * num_envs
