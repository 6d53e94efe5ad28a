# SPDX-License-Identifier: Apache-2.0
"""A table of CPU times of a step beside several peers, and the medians of their ratios."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from comparison import Report, Row, Settings, figure, take_turns


@dataclass(frozen=True)
class CpuTimes:
    """A line for each row with the CPU time of all sides, which a busy machine changes little.

    Attributes:
        title: The subject of the comparison.
        rows: With cells of a task and of a number of environments.
        medians: For each peer, the least ratio of the median row.
        of_rows: For a task and a peer, the least ratio of its row.
        rounds: The number of turns of each side.
        seconds: The approximate length of a turn.
    """

    title: str
    rows: Sequence[Row]
    medians: Mapping[str, float]
    of_rows: Mapping[tuple[str, str], float] = field(default_factory=dict)
    rounds: int = 5
    seconds: float = 0.6

    def measure(self, settings: Settings) -> list[Report]:
        """Measures all requested rows."""
        rounds, seconds = settings.rounds or self.rounds, settings.seconds or self.seconds
        peers = list(self.medians)
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
                    if least := self.of_rows.get((one.cells[0], peer)):
                        goal = f"{least:g}" + ("" if time >= least * ours else " missed")
            report.add(*one.cells, figure(ours), *cells, goal)
        medians = Report(f"{self.title}: medians", ("envs", "peer", "ratio", "goal"), texts=2)
        for (num_envs, peer), found in ratios.items():
            middle, least = statistics.median(found), self.medians[peer]
            medians.add(
                *(num_envs, peer, figure(middle)),
                f"{least:g}" + ("" if middle >= least else " missed"),
            )
        return [report, medians]
