# SPDX-License-Identifier: Apache-2.0
"""The shared part of this folder's scripts: their arguments, the score, and their output.

A script trains CartPole-v1 with one library, in a pool or, with `--envs default`, in the vector
environments that the library's own documentation uses. Nothing else differs.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import time
from collections.abc import Callable
from typing import Any

import gymnasium

TASK = "CartPole-v1"
NUM_ENVS = 8
EPISODES = 20


def in_pool(steps: int) -> tuple[bool, int]:
    """The arguments: whether to train in a pool, and the number of environment steps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--envs", choices=("pool", "default"), default="pool")
    parser.add_argument("--steps", type=int, default=steps)
    options = parser.parse_args()
    return options.envs == "pool", options.steps


def evaluate(act: Callable[[Any], int]) -> float:
    """Mean return of episodes in Gymnasium's own CartPole; 500 is the best.

    Args:
        act: Takes a float32 observation of shape (4,).
    """
    env = gymnasium.make(TASK)
    total = 0.0
    for episode in range(EPISODES):
        obs, _ = env.reset(seed=1000 + episode)
        done = False
        while not done:
            obs, reward, terminated, truncated, _ = env.step(act(obs))
            total += float(reward)
            done = terminated or truncated
    return total / EPISODES


class Clock:
    """The time of a training, from its making, or `start`, to `stop`."""

    def __init__(self, client: str, package: str | None) -> None:
        """Starts.

        Args:
            client: Name of the library.
            package: Its distribution, for the version.
        """
        self._client = client
        self._version = "" if package is None else importlib.metadata.version(package)
        self._seconds = self._cpu_seconds = 0.0
        self.start()

    def start(self) -> None:
        """Training begins now, after the library's own setup."""
        self._start = time.perf_counter()
        self._cpu = time.process_time()

    def stop(self) -> None:
        """Training ends here."""
        self._seconds = time.perf_counter() - self._start
        self._cpu_seconds = time.process_time() - self._cpu

    def report(self, score: float, steps: int) -> None:
        """Prints all as a line of JSON; the steps are those of the time."""
        result = {"client": self._client, "version": self._version, "score": score, "steps": steps}
        result |= {"seconds": self._seconds, "cpu_seconds": self._cpu_seconds}
        print(json.dumps(result))
