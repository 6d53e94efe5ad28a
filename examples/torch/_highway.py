# SPDX-License-Identifier: Apache-2.0
"""The shared part of the two scripts about highway-env: environments of either kind, and tests."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import envpool
import numpy as np
import torch
from envpool.integrations import sb3_vec_env
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

NUM_TESTS = 100  # episodes


def options(description: str, steps: int, every: int) -> argparse.Namespace:
    """The command line of both scripts."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--every", type=int, default=every, help="steps between two tests")
    parser.add_argument("--envs", choices=["pool", "package"], default="pool")
    parser.add_argument("--seed", type=int, default=1)
    torch.set_num_threads(1)  # the networks are too small for more
    return parser.parse_args()


def environments(task: str, kind: str, num_envs: int, seed: int, **config: Any) -> Any:
    """A pool, or equally many environments of the package, stepped in turn in this process."""
    if kind == "pool":
        pool = envpool.make(
            task, num_envs=num_envs, seed=seed, config=config, autoreset_mode="same_step"
        )
        return sb3_vec_env(pool)
    import highway_env  # noqa: F401 (registers its ids)

    return make_vec_env(task, num_envs, seed, env_kwargs={"config": config})


class Tests(BaseCallback):
    """Prints the policy's results, from episodes in a pool that it does not learn from.

    Args:
        task: The id.
        every: Steps between two tests.
        score: A function of the returns and last infos of all episodes; returns the printed text.
        config: The task's configuration.
    """

    def __init__(
        self, task: str, every: int, score: Callable[[Any, Any], str], **config: Any
    ) -> None:
        """Makes a pool of as many environments as episodes."""
        super().__init__()
        self._pool: Any = envpool.make(task, num_envs=NUM_TESTS, seed=1000, config=config)
        self._every, self._score = every, score
        self._tested, self._tests_cpu = 0, 0.0
        self._start, self._cpu = time.perf_counter(), time.process_time()

    def _on_training_start(self) -> None:
        self._print()

    def _on_rollout_end(self) -> None:
        if self.num_timesteps // self._every > self._tested:
            self._tested = self.num_timesteps // self._every
            self._print()

    def _on_step(self) -> bool:
        return True

    def _print(self) -> None:
        before = time.process_time()
        score = self._score(*self._played())
        self._tests_cpu += time.process_time() - before
        cpu = time.process_time() - self._cpu - self._tests_cpu
        wall = time.perf_counter() - self._start
        print(
            f"{self.num_timesteps:7,} steps, {wall:4.0f} s, {cpu:4.0f} s of a CPU: {score}",
            flush=True,
        )

    def _played(self) -> tuple[Any, Any]:
        """Returns and last infos of an episode in each environment."""
        obs, _ = self._pool.reset()
        returns, over = np.zeros(NUM_TESTS), np.zeros(NUM_TESTS, bool)
        last: dict[str, Any] = {}
        while not over.all():
            action, _ = self.model.predict(obs, deterministic=True)
            obs, reward, terminated, truncated, info = self._pool.step(action)
            returns += np.where(over, 0, reward)
            for name in ("crashed", "is_success"):
                if name in info:
                    last[name] = np.where(over, last.get(name, False), info[name])
            over |= terminated | truncated
        return returns, last
