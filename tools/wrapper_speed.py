# SPDX-License-Identifier: Apache-2.0
"""What the wrappers of envpool.integrations add to a step, beside Gymnasium's own.

    python tools/wrapper_speed.py [--num-envs 64]

Microseconds of CPU time that a wrapper adds to a step of CartPole-v1. All take turns around pools
of env_type="vector", in one process; medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import envpool
import numpy as np
from envpool import integrations as ours
from gymnasium.wrappers import vector as theirs

PAIRS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "episode statistics": (ours.EpisodeStatistics, theirs.RecordEpisodeStatistics),
    "normalised observations": (ours.NormalizeObservation, theirs.NormalizeObservation),
    "normalised rewards": (ours.NormalizeReward, theirs.NormalizeReward),
    "clipped rewards": (
        lambda envs: ours.ClipReward(envs, -1, 1),
        lambda envs: theirs.ClipReward(envs, -1, 1),
    ),
}


def cost(envs: Any, action: Any, steps: int) -> float:
    """Microseconds of CPU time of a step."""
    start = time.process_time()
    for _ in range(steps):
        envs.step(action)
    return (time.process_time() - start) / steps * 1e6


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()

    def make() -> Any:
        return envpool.make(
            "CartPole-v1", "vector", num_envs=options.num_envs, num_threads=1, seed=1
        )

    bare = make()
    wrapped = {name: [wrap(make()) for wrap in pair] for name, pair in PAIRS.items()}
    action = np.zeros(options.num_envs, np.int64)
    for envs in (bare, *(envs for pair in wrapped.values() for envs in pair)):
        envs.reset(seed=1)
    alone: list[float] = []
    costs: dict[str, list[list[float]]] = {name: [[], []] for name in PAIRS}
    for _ in range(options.rounds):
        alone.append(cost(bare, action, options.steps))
        for name, pair in wrapped.items():
            for envs, found in zip(pair, costs[name], strict=True):
                found.append(cost(envs, action, options.steps))
    base = statistics.median(alone)
    print(f"{options.num_envs} environments; a step of the pool alone: {base:.1f} µs")
    print("| wrapper | envpool.integrations, µs | Gymnasium, µs | ratio |")
    print("|---|---:|---:|---:|")
    for name, both in costs.items():
        own, other = (statistics.median(found) - base for found in both)
        print(f"| {name} | {own:.1f} | {other:.1f} | {other / own:.2f} |")


if __name__ == "__main__":
    main()
