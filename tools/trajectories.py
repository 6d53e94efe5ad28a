# SPDX-License-Identifier: Apache-2.0
"""Digests of trajectories of every installed family, to compare one system with another.

    python tools/trajectories.py > here.txt
    python tools/other_linux.py bookworm arm64 install envpool-classic > there.txt
    diff here.txt there.txt

A line for each task: of all observations, rewards, ends and infos of its steps, from the same seeds
and actions. Two systems play alike where no line differs. Names of tasks choose among them.

Where bytes differ, as MuJoCo's do between kinds of CPU, this says from which step on and how much:

    python tools/trajectories.py --keep here.npz
    qemu-aarch64 -L root root/usr/bin/python3.11 tools/trajectories.py --against here.npz
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import Any

import envpool
import numpy as np
from numpy.typing import NDArray

Observations = NDArray[np.float64]
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
    parser.add_argument("--keep", type=Path, help=".npz for the observations")
    parser.add_argument("--against", type=Path, help=".npz of another system, to compare with")
    parser.add_argument("tasks", nargs="*", help="default: some of each installed family")
    options = parser.parse_args()
    others = np.load(options.against) if options.against else {}
    kept: dict[str, Any] = {}
    for name, task_options in _tasks(options.tasks):
        told, kept[name] = digest(name, task_options)
        print(told, name, _difference(kept[name], others.get(name)), flush=True)
    if options.keep:
        np.savez(options.keep, **kept)


def _tasks(chosen: list[str]) -> list[tuple[str, dict[str, Any]]]:
    known = {name: options for tasks in TASKS.values() for name, options in tasks.items()}
    if chosen:
        return [(name, known.get(name, {})) for name in chosen]
    there = set(envpool.list_all_envs())
    return [(name, options) for name, options in known.items() if name in there]


def digest(task_id: str, options: dict[str, Any]) -> tuple[str, Observations]:
    """Of everything that a pool returns, for random actions; and its observations, a row a step."""
    random = np.random.default_rng(SEED)
    told = hashlib.sha256()
    rows = []
    pool = envpool.make(task_id, env_type="gymnasium", num_envs=NUM_ENVS, seed=SEED, **options)
    try:
        for step in range(STEPS + 1):
            actions = _actions(pool.action_space, random) if step else None
            returned = pool.reset() if actions is None else pool.step(actions)
            _add(told, returned)
            rows.append(_numbers(returned[0]))
    finally:
        pool.close()
    return told.hexdigest()[:16], np.stack(rows)


def _numbers(observation: Any) -> Observations:
    if isinstance(observation, dict):
        return np.concatenate([_numbers(observation[key]) for key in sorted(observation)])
    return np.asarray(observation).ravel().astype(np.float64)


def _difference(ours: Observations, theirs: Observations | None) -> str:
    """From which step on observations differ, by how much there and at most."""
    if theirs is None:
        return ""
    of_steps = np.abs(ours - theirs).max(axis=1)
    (steps,) = np.nonzero(of_steps)
    if not len(steps):
        return "observations equal"
    first = steps[0]
    size = np.abs(ours).max()
    return (
        f"from step {first} on, there {of_steps[first]:.1e}, "
        f"step 10 {of_steps[10]:.1e}, at most {of_steps.max():.1e} of {size:.1f}"
    )


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
