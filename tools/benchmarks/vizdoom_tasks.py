# SPDX-License-Identifier: Apache-2.0
"""Doom against the original EnvPool: steps per second, and CPU time of pool and engines.

    python tools/benchmarks/vizdoom_tasks.py [--rounds 9] [--seconds 1.5]

Both sides play Basic-v1 with the same random actions, observations of 84x84 in colors, 4 of them
stacked, and as many threads as a batch has rows, which is faster than the original's default. The
processes of a comparison take turns round by round on the same machine, so that all see the same
noise; quoted are medians, with the quartiles of our ratios of each round. "native" draws at
160x120, which the original cannot; its side draws at 320x240. Needs the packages of this checkout
in the running Python, and `pip install envpool==1.2.5` (done once, kept in .nox/peer).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

from _report import Report, figure, finish
from cartpole import PEER, ROOT, Worker, peer_python
from rich.console import Console
from rich.progress import track

TASK = "Basic-v1"
CPU_GOAL = 0.55
"""Our CPU time for a step against the original's, drawing the same."""


class Work(NamedTuple):
    """One way to step the task on both sides, and what is to be reached."""

    name: str
    num_envs: int
    batch_size: int
    goal: float | None = None  # our steps per second against the original's
    cpu_goal: float | None = None
    native: bool = False


WORKS = (
    Work("sync", 1, 1),
    Work("sync", 8, 8, 2.0, CPU_GOAL),
    Work("async 4", 8, 4, 1.8, CPU_GOAL),
    Work("sync, native", 8, 8, 3.5, native=True),
)


class Measured(NamedTuple):
    """By round: CPU microseconds per environment step, and steps per second, of each side."""

    cpu: tuple[list[float], ...]
    speed: tuple[list[float], ...]


def command(python: str, work: Work, **options: object) -> list[str]:
    """A worker that steps a pool."""
    worker = str(ROOT / "tools" / "benchmarks" / "_vizdoom_worker.py")
    common = {
        "task": TASK,
        "num_envs": work.num_envs,
        "batch_size": work.batch_size,
        "num_threads": work.batch_size,
    }
    return [python, worker, json.dumps({**common, **options})]


def measure(work: Work, rounds: int, seconds: float) -> Measured:
    """Ours and the original's, taking turns."""
    own = {"render_resolution": "160x120"} if work.native else {}
    workers = [
        Worker(command(sys.executable, work, **own)),
        Worker(command(peer_python(), work)),
    ]
    calls = [one.calls_for(seconds) for one in workers]
    found = Measured(([], []), ([], []))
    for _ in range(rounds):
        for side, (one, count) in enumerate(zip(workers, calls, strict=True)):
            wall, cpu = one.run(count)
            found.cpu[side].append(cpu / work.batch_size)
            found.speed[side].append(work.batch_size * 1e6 / wall)
    for one in workers:
        one.close()
    return found


def table(rounds: int, seconds: float) -> Report:
    """All works."""
    peer = PEER.replace("==", " ")
    columns = ("envs", "mode", "steps/s", peer, "ratio", "quartiles", "goal", "CPU µs", peer)
    report = Report(
        f"{TASK}, steps per second and CPU µs per environment step",
        (*columns, "ratio", "quartiles", "goal"),
        texts=2,
    )
    for work in track(WORKS, description="pools", console=Console(stderr=True)):
        found = measure(work, rounds, seconds)
        speeds = [a / b for a, b in zip(*found.speed, strict=True)]
        cpus = [a / b for a, b in zip(*found.cpu, strict=True)]
        speed, cpu = statistics.median(speeds), statistics.median(cpus)
        report.add(
            str(work.num_envs),
            work.name,
            *(f"{statistics.median(one):,.0f}" for one in found.speed),
            figure(speed),
            _quartiles(speeds),
            _goal(work.goal, speed >= (work.goal or 0)),
            *(f"{statistics.median(one):,.0f}" for one in found.cpu),
            figure(cpu),
            _quartiles(cpus),
            _goal(work.cpu_goal, cpu <= (work.cpu_goal or cpu)),
        )
    return report


def _quartiles(ratios: list[float]) -> str:
    low, _, high = statistics.quantiles(ratios, n=4)
    return f"{figure(low)} .. {figure(high)}"


def _goal(goal: float | None, met: bool) -> str:
    return "" if goal is None else f"{goal:g}" + ("" if met else " missed")


def main() -> None:
    """Measures and prints the table; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    reports = [table(options.rounds, options.seconds)]
    finish(reports, options.json, "missed" not in str(reports))


if __name__ == "__main__":
    main()
