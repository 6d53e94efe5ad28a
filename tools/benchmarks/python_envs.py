# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python against gymnasium.vector and Stable-Baselines3.

    python tools/benchmarks/python_envs.py --rounds 7

Peers take turns in one run. What counts is steps of all environments per second, at random actions
that are the same for all. stable-baselines3 is measured if it is installed: it brings PyTorch.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpool
import envpool_python
import gymnasium
import numpy as np
from _report import Report, figure, finish
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv

GOALS = {"CartPole-v1": 2.0, "LunarLander-v3": 1.5, "image 84x84x4": 2.0}
GOAL_UNEVEN = 3.0
SLEEP = 0.002  # seconds that a step of the uneven environments takes; one in eight, ten times that


class Images(gymnasium.Env[Any, Any]):
    """A frame of 84 x 84 x 4 that is ready; nothing but its way is measured."""

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
    """Waits, as for a simulator elsewhere."""

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


def factory(name: str) -> Callable[[], Any]:
    """What makes an environment of a row."""
    return Images if name.startswith("image") else lambda: gymnasium.make(name)


def steps_per_second(
    step: Callable[[Any], Any], action: Any, num_envs: int, seconds: float
) -> float:
    """Steps for so many seconds."""
    count, since = 0, time.perf_counter()
    while (passed := time.perf_counter() - since) < seconds:
        step(action)
        count += 1
    return count * num_envs / passed


def compare(name: str, num_envs: int, rounds: int, seconds: float) -> dict[str, list[float]]:
    """Steps per second of each peer, a figure for each round."""
    make = factory(name)
    fns = [make] * num_envs
    pools: dict[str, Any] = {
        "ours": envpool_python.make(fns),
        "gymnasium": AsyncVectorEnv(fns, shared_memory=True),
    }
    if importlib.util.find_spec("stable_baselines3") is not None:
        sb3: Any = importlib.import_module("stable_baselines3.common.vec_env")
        # Not its "forkserver", which imports PyTorch in each of 64 processes.
        pools["sb3"] = sb3.SubprocVecEnv(fns, start_method="fork")
    speeds: dict[str, list[float]] = {peer: [] for peer in pools}
    action = np.random.default_rng(0).integers(0, 2, num_envs)
    for pool in pools.values():
        pool.reset()
    for _ in range(rounds):
        for peer, pool in pools.items():
            speeds[peer].append(steps_per_second(pool.step, action, num_envs, seconds))
    for pool in pools.values():
        pool.close()
    return speeds


def uneven(rounds: int, seconds: float) -> list[tuple[float, float]]:
    """Steps per second, synchronous and asynchronous, of 16 environments that sleep."""
    fns = [lambda i=i: Sleeper(SLEEP * (10 if i % 8 == 0 else 1)) for i in range(16)]
    found = []
    with (
        envpool_python.make(fns, num_workers=16) as sync,
        envpool_python.make(fns, num_workers=16, batch_size=8) as ready,
    ):
        sync.reset()
        ready.async_reset()
        action = np.zeros(16, np.int64)
        for _ in range(rounds):
            one = steps_per_second(sync.step, action, 16, seconds)

            def step(action: Any) -> None:
                info = ready.recv()[-1]
                ready.send(action[:8], info["env_id"])

            found.append((one, steps_per_second(step, action, 8, seconds)))
    return found


def main() -> None:
    """Measures and prints; fails if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each peer in a round")
    parser.add_argument("--envs", type=int, nargs="*", default=[8, 64])
    parser.add_argument("--json", type=Path, help="where to keep the tables")
    options = parser.parse_args()
    columns = ("environment", "envs", "ours, steps/s", "peer", "peer, steps/s", "ratio", "goal")
    report = Report("Environments written in Python", columns)
    passed = True
    for name, goal in GOALS.items():
        for num_envs in options.envs:
            speeds = compare(name, num_envs, options.rounds, options.seconds)
            ours = speeds.pop("ours")
            for peer, theirs in speeds.items():
                wanted = 2.0 if peer == "sb3" else goal
                ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
                passed = passed and ratio >= wanted
                medians = figure(statistics.median(ours)), figure(statistics.median(theirs))
                cells = (medians[0], peer, medians[1], figure(ratio), figure(wanted))
                report.add(name, str(num_envs), *cells)
    rates = uneven(options.rounds, options.seconds)
    ratio = statistics.median(ready / sync for sync, ready in rates)
    passed = passed and ratio >= GOAL_UNEVEN
    sync, ready = (figure(statistics.median(values)) for values in zip(*rates, strict=True))
    cells = (ready, "ours, synchronous", sync, figure(ratio), figure(GOAL_UNEVEN))
    report.add("one in 8 sleeps 10 x, batches of 8", "16", *cells)
    report.notes.append(f"envpool {envpool.__version__}, gymnasium {gymnasium.__version__}")
    finish([report], options.json, passed)


if __name__ == "__main__":
    main()
