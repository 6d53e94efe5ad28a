# SPDX-License-Identifier: Apache-2.0
"""Atari against its peers: the original EnvPool and ALE's own vector environment.

    python tools/benchmarks/atari.py [--rounds 7] [--seconds 0.4] [--games pong breakout]

32 environments, observations of 4 x 84 x 84, 4 frames per step. The three processes of a
comparison take turns round by round on the same machine, so that all see the same noise; an
asynchronous pool finishes a batch while the others have their turn, ours as theirs. Quoted are
medians of environment steps per second, and the ratios of the medians; the last lines are geometric
means over the games. Needs the packages of this checkout in the running Python, with ale-py, and
`pip install envpool==1.2.5` (done once, kept in .nox/peer).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from _report import Report, figure, finish, thread_counts
from cartpole import PEER, ROOT, Worker, peer_python
from footprint import answers
from rich.console import Console
from rich.progress import track

GAMES = ("pong", "breakout", "space_invaders", "ms_pacman", "qbert", "montezuma_revenge")
NUM_ENVS = 32
PEERS = (PEER, "ale_py.AtariVectorEnv")
GOALS = {NUM_ENVS: (7.0, 6.5), NUM_ENVS // 2: (6.0, 5.5)}
"""By how much ours has to be faster than each peer, as a geometric mean, by the size of a batch."""

MAKE = """
import time
import envpool
envpool.make("Pong-v5", num_envs=1).close()
start = time.perf_counter()
pool = envpool.make("Pong-v5", num_envs=64)
print((time.perf_counter() - start) * 1e3)
"""

# All results are held, so that what the pool keeps of them is counted, too; many environments, so
# that what the process had freed before does not count.
MEMORY = """
import numpy
import envpool
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
def size(tree):
    if isinstance(tree, (tuple, dict)):
        return sum(map(size, tree.values() if isinstance(tree, dict) else tree))
    return getattr(tree, "nbytes", 0)
envpool.make("Pong-v5", num_envs=2, num_threads=2).reset()
before = rss()
pool = envpool.make("Pong-v5", num_envs=2048, num_threads=2)
results = [pool.reset()]
for _ in range(4):
    results.append(pool.step(numpy.zeros(2048, numpy.int32)))
print((rss() - before - size(tuple(results))) / 2048 / 1e3)
"""

SAVE = """
import time
import numpy
import envpool
pool = envpool.make("Pong-v5", num_envs=1, {options})
pool.reset()
for _ in range(200):
    pool.step(numpy.zeros(1, numpy.int32))
times = []
for function, value in ((pool.save_state, None), (pool.load_state, pool.save_state())):
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(1000):
            function() if value is None else function(value)
        times.append((time.perf_counter() - start) * 1e3)
print(len(pool.save_state()[0]), sorted(times[:9])[4], sorted(times[9:])[4])
"""


class Row(NamedTuple):
    """One workload, and the steps per second of ours and of each peer.

    Attributes:
        game: As its cartridge is called.
        batch_size: NUM_ENVS if it is synchronous.
        threads: How many step environments.
        speeds: Medians; ours first, then PEERS.
    """

    game: str
    batch_size: int
    threads: int
    speeds: tuple[float, ...]

    def ratio(self, peer: int) -> float:
        """By how much ours is faster than peer number `peer`."""
        return self.speeds[0] / self.speeds[1 + peer]


def measure(
    game: str, batch_size: int, threads: int, rounds: int, seconds: float
) -> tuple[float, ...]:
    """Environment steps per second of ours and of the peers, taking turns."""
    sides = (("envpool", sys.executable), ("envpool", peer_python()), ("ale", sys.executable))
    worker = str(ROOT / "tools" / "benchmarks" / "_atari_worker.py")
    workers = []
    for side, python in sides:
        work = {
            "side": side,
            "game": game,
            "num_envs": NUM_ENVS,
            "batch_size": batch_size,
            "num_threads": threads,
        }
        workers.append(Worker([python, worker, json.dumps(work)]))
    calls = [one.calls_for(seconds) for one in workers]
    times: list[list[float]] = [[] for _ in workers]
    for _ in range(rounds):
        for one, count, out in zip(workers, calls, times, strict=True):
            out.append(one.run(count)[0])
    for one in workers:
        one.close()
    return tuple(batch_size * 1e6 / statistics.median(out) for out in times)


def speeds(rows: Sequence[Row]) -> Report:
    """Every game, and every way to step."""
    peers = [peer.replace("==", " ") for peer in PEERS]
    columns = ("game", "mode", "threads", "ours", *peers, *(f"ours / {peer}" for peer in peers))
    report = Report(f"Atari, {NUM_ENVS} environments, steps per second", columns, texts=2)
    for row in rows:
        report.add(
            row.game,
            mode(row.batch_size),
            str(row.threads),
            *(f"{speed:,.0f}" for speed in row.speeds),
            *(f"{row.ratio(peer):.2f}" for peer in range(len(PEERS))),
        )
    return report


def comparison(rows: Sequence[Row]) -> Report:
    """What they come to."""
    columns = [c for peer in PEERS for c in (f"ours / {peer.replace('==', ' ')}", "goal")]
    report = Report("Geometric means over the games", ("mode", "threads", *columns))
    for batch_size, threads in ways(rows):
        found = zip(means(rows, batch_size, threads), GOALS[batch_size], strict=True)
        cells = [cell for mean, goal in found for cell in (f"{mean:.2f}", f"{goal:g}")]
        report.add(mode(batch_size), str(threads), *cells)
    return report


def ways(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """The ways to step: batch size and threads."""
    return list(dict.fromkeys((row.batch_size, row.threads) for row in rows))


def mode(batch_size: int) -> str:
    """The name of a way to step a pool."""
    return "sync" if batch_size == NUM_ENVS else f"async, batch {batch_size}"


def means(rows: Sequence[Row], batch_size: int, threads: int) -> list[float]:
    """Geometric means of the ratios to each peer, over the games of one way to step."""
    chosen = [row for row in rows if (row.batch_size, row.threads) == (batch_size, threads)]
    return [
        statistics.geometric_mean(row.ratio(peer) for row in chosen) for peer in range(len(PEERS))
    ]


def main() -> None:
    """Measures and prints the tables; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    works = [
        (game, batch_size, threads)
        for game in options.games
        for batch_size in (NUM_ENVS, NUM_ENVS // 2)
        for threads in thread_counts()
    ]
    rows = [
        Row(*work, measure(*work, options.rounds, options.seconds))
        for work in track(works, description="measuring", console=Console(stderr=True))
    ]
    good = all(
        mean >= goal
        for way in ways(rows)
        for mean, goal in zip(means(rows, *way), GOALS[way[0]], strict=True)
    )
    footprint = Report("Footprint of Pong-v5", ("figure", "measured", "at most"))
    for name, value, most in figures():
        good &= value <= most
        footprint.add(name, figure(value), figure(most) if most < float("inf") else "")
    finish([speeds(rows), comparison(rows), footprint], options.json, good)


def figures() -> Iterator[tuple[str, float, float]]:
    """Name, value and the most that it may be; infinity where there is no goal."""
    yield "make of 64 Pong-v5, ms", statistics.median(answers(MAKE)[0] for _ in range(5)), 50
    yield "memory of an environment beyond its results, kB", answers(MEMORY)[0], 100
    for name, options in (("", ""), (" of obs_type='ram'", "obs_type='ram'")):
        size, save, load = answers(SAVE.replace("{options}", options))
        yield f"saved state{name}, bytes", size, float("inf")
        yield f"save_state{name}, µs", save, float("inf")
        yield f"load_state{name}, µs", load, float("inf")


if __name__ == "__main__":
    main()
