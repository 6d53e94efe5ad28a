# SPDX-License-Identifier: Apache-2.0
"""Digests of trajectories of every installed family, to compare one system with another.

    python tools/trajectories.py > here.txt
    qemu-aarch64 -L root root/usr/bin/python3.11 tools/trajectories.py > there.txt
    diff here.txt there.txt

A line for each task: of all observations, rewards, ends and infos of its steps, from the same seeds
and actions. Two systems play alike where no line differs. Names of tasks choose among them.
"""

from __future__ import annotations

import argparse
import hashlib
from typing import Any

import envpool
import numpy as np

STEPS = 100
NUM_ENVS = 3
SEED = 7
# Of each family what differs in kind; the options keep the whole to seconds under emulation.
TASKS: dict[str, dict[str, dict[str, Any]]] = {
    "envpool_classic": {
        name: {}
        for name in (
            "CartPole-v1",
            "Pendulum-v1",
            "Acrobot-v1",
            "MountainCarContinuous-v0",
            "Taxi-v4",
            "FrozenLake-v1",
            "Blackjack-v1",
            "CliffWalking-v1",
            "Catch-v0",
        )
    },
    "envpool_atari": {
        name: {"noop_max": 5}
        for name in ("Pong-v5", "Breakout-v5", "MontezumaRevenge-v5", "Pitfall-v5", "Adventure-v5")
    },
    "envpool_mujoco": {
        name: {}
        for name in (
            "Ant-v5",
            "HalfCheetah-v5",
            "Hopper-v5",
            "Humanoid-v5",
            "InvertedPendulum-v5",
            "Pusher-v5",
            "Reacher-v5",
            "Swimmer-v5",
            "Walker2d-v5",
            "CheetahRun-v1",
            "WalkerWalk-v1",
            "CartpoleSwingup-v1",
            "FingerSpin-v1",
            "FishSwim-v1",
        )
    },
    "envpool_vizdoom": {"Basic-v1": {}, "HealthGathering-v1": {}},
    "envpool_python": {"python:CartPole-v1": {}, "python:Taxi-v4": {}},
}


def main() -> None:
    """Prints a line for each task of the installed families."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tasks", nargs="*", help="default: some of each installed family")
    chosen = parser.parse_args().tasks
    for name, options in _tasks(chosen):
        print(digest(name, options), name, flush=True)


def _tasks(chosen: list[str]) -> list[tuple[str, dict[str, Any]]]:
    known = {name: options for tasks in TASKS.values() for name, options in tasks.items()}
    if chosen:
        return [(name, known.get(name, {})) for name in chosen]
    there = set(envpool.list_all_envs())
    return [(name, options) for name, options in known.items() if name in there]


def digest(task_id: str, options: dict[str, Any]) -> str:
    """Of everything that a pool returns, for random actions."""
    random = np.random.default_rng(SEED)
    told = hashlib.sha256()
    pool = envpool.make(task_id, env_type="gymnasium", num_envs=NUM_ENVS, seed=SEED, **options)
    try:
        _add(told, pool.reset())
        for _ in range(STEPS):
            _add(told, pool.step(_actions(pool.action_space, random)))
    finally:
        pool.close()
    return told.hexdigest()[:16]


def _actions(space: Any, random: np.random.Generator) -> Any:
    if hasattr(space, "n"):
        return random.integers(space.n, size=NUM_ENVS)
    return random.uniform(space.low, space.high, (NUM_ENVS, *space.shape)).astype(space.dtype)


def _add(told: Any, value: Any) -> None:
    if isinstance(value, dict):
        for key in sorted(value):
            told.update(key.encode())
            _add(told, value[key])
    elif isinstance(value, tuple):
        for part in value:
            _add(told, part)
    else:
        array = np.ascontiguousarray(value)
        told.update(f"{array.dtype}{array.shape}".encode())
        told.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())


if __name__ == "__main__":
    main()
