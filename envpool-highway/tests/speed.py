# SPDX-License-Identifier: Apache-2.0
"""CPU time of a step beside highway-env's own environments, and beside EnvPool 1.2.5.

Actions are random; resets are a part of the time. highway-env's own are one environment in a loop
of Python, or eight in Gymnasium's processes. Most tasks of EnvPool 1.2.5 have another traffic than
the package's: the same work is done in highway-v0, highway-fast-v0, merge-v0 and parking-v0.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass

from comparison import ENVPOOL_NAME, Report, Row, Settings, Side, figure, pools, take_turns

PACKAGE, PROCESSES = "highway-env", "AsyncVectorEnv"
NUM_PROCESSES = 8
# Least ratios of the median task, and of one task.
MEDIANS = {PACKAGE: 600.0, ENVPOOL_NAME: 3.0, PROCESSES: 300.0}
OF_TASKS = {("highway-v0", ENVPOOL_NAME): 2.5}
TASKS = (
    *("highway-v0", "highway-fast-v0", "exit-v0", "merge-v0", "roundabout-v0", "intersection-v0"),
    *("intersection-v1", "parking-v0", "racetrack-v0", "two-way-v0", "u-turn-v0"),
    "lane-keeping-v0",
)
IN_PROCESSES = ("highway-fast-v0", "merge-v0", "parking-v0")


def row(task: str, num_envs: int) -> Row:
    """One task; rows of as many environments as processes have Gymnasium's, too."""
    options = {"task": task, "imports": ["highway_env"]}
    alone = Side(PACKAGE, {**options, "num_envs": 1, "mode": "sync"}, "vector", steps=1)
    sides = [*pools(task, num_envs, num_threads=1), alone]
    if task in IN_PROCESSES and num_envs == NUM_PROCESSES:
        sides.append(Side(PROCESSES, {**options, "num_envs": NUM_PROCESSES}, "vector"))
    return Row((task, str(num_envs)), num_envs, sides)


@dataclass(frozen=True)
class CpuTimes:
    """A line for each row with the CPU time of all sides, which a busy machine changes little."""

    title: str
    rows: list[Row]
    rounds: int = 5
    seconds: float = 0.6

    def measure(self, settings: Settings) -> list[Report]:
        """Measures all rows that are asked for."""
        rounds, seconds = settings.rounds or self.rounds, settings.seconds or self.seconds
        peers = list(MEDIANS)
        columns = [name for peer in peers for name in (f"{peer}, µs", "ratio")]
        report = Report(
            f"{self.title}, {rounds} rounds", ("task", "envs", "CPU µs", *columns, "goal"), texts=2
        )
        ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
        for one in self.rows:
            if not settings.wants(*one.cells):
                continue
            taken = take_turns(one, rounds, seconds)
            times = {
                side.name: statistics.median(found.cpu)
                for side, found in zip(one.sides, taken, strict=True)
            }
            ours, cells, goal = times.pop("ours"), [], ""
            for peer in peers:
                time = times.get(peer)
                cells += ["", ""] if time is None else [figure(time), figure(time / ours)]
                if time is not None:
                    ratios[one.cells[1], peer].append(time / ours)
                    if least := OF_TASKS.get((one.cells[0], peer)):
                        goal = f"{least:g}" + ("" if time >= least * ours else " missed")
            report.add(*one.cells, figure(ours), *cells, goal)
        medians = Report(f"{self.title}: medians", ("envs", "peer", "ratio", "goal"), texts=2)
        for (num_envs, peer), found in ratios.items():
            middle, least = statistics.median(found), MEDIANS[peer]
            medians.add(
                *(num_envs, peer, figure(middle)),
                f"{least:g}" + ("" if middle >= least else " missed"),
            )
        return [report, medians]


TABLES = [CpuTimes("highway-env", [row(task, count) for task in TASKS for count in (8, 64)])]
