# SPDX-License-Identifier: Apache-2.0
"""A program that plays 64 games by random commands, and prints the growth of memory.

    python envpool-nethack/tests/soak.py --steps 5000000
    python envpool-nethack/tests/soak.py --steps 200000 --task MiniHack-Quest-Hard-v0

Memory is that of this process alone, at each tenth of the steps. It fails if memory at the last
tenth exceeds that at the third by 10 MB: until then games touch new pages of their heaps.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import envpool
import numpy as np

GAMES = 64
TASK = "NetHack-v0"
"""It has all commands. NetHackChallenge has keys whose questions random keys cannot answer."""
MOST_GROWTH = 10.0
"""MB between the third tenth and the last; 64 games take 40 MB."""


def memory() -> float:
    """MB of this process's own pages, without the library's code, which games share."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1000


def play(steps: int, task: str = TASK, seed: int = 0) -> list[float]:
    """Plays about `steps` steps of all games together, and returns the memory at each tenth."""
    draw = np.random.default_rng(seed)
    found = []
    games = faults = done = 0
    began = time.process_time()
    keys = ["glyphs", "blstats", "message"]
    with envpool.make(task, num_envs=GAMES, seed=seed, observation_keys=keys) as pool:
        pool.reset()
        count = pool.action_space.n
        for tenth in range(10):
            rounds = steps // (10 * GAMES)
            for _ in range(rounds):
                *_, terminated, truncated, info = pool.step(draw.integers(0, count, GAMES))
                games += int((terminated | truncated).sum())
            done += rounds * GAMES
            faults = int(info["faults"].sum())
            found.append(memory())
            print(
                f"{tenth + 1}0 %: {done} steps, {games} games over, {faults} of them by a fault, "
                f"{found[-1]:.1f} MB, {time.process_time() - began:.0f} s of CPU",
                flush=True,
            )
    return found


def main() -> int:
    """Plays, and reports whether memory grew."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=5_000_000)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = play(options.steps, options.task, options.seed)
    growth = found[-1] - found[2]
    print(f"memory: {growth:+.1f} MB between 30 % and 100 %")
    return growth > MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main())
