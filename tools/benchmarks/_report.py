# SPDX-License-Identifier: Apache-2.0
"""What a benchmark prints, and keeps for tools/benchmark_page.py.

report = Report("Footprint", "figure", "measured", "at most")
report.add("import", "8 ms", "150 ms")
finish([report], options.json, passed)
"""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass
class Report:
    """A table.

    Attributes:
        title: What was measured.
        columns: Their names.
        texts: How many of them, from the left, are words; the others are figures.
        rows: The cells.
        notes: Lines below the table.
    """

    title: str
    columns: Sequence[str]
    texts: int = 1
    rows: list[Sequence[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Adds a row."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns: {cells}")
        self.rows.append(cells)

    def show(self, console: Console) -> None:
        """Prints the table."""
        table = Table(title=self.title)
        for number, column in enumerate(self.columns):
            table.add_column(column, justify="left" if number < self.texts else "right")
        for row in self.rows:
            table.add_row(*row)
        console.print(table)
        for note in self.notes:
            console.print(note)


def figure(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def keep_others(reports: Sequence[Report], path: Path | None, order: Sequence[str]) -> None:
    """Adds the rows of an earlier run to tables of which only a part was measured again.

    Args:
        reports: The tables; those of the earlier run have the same titles.
        path: The file of the earlier run, if there is one.
        order: First cells of rows, as they are to follow each other.
    """
    if path is None or not path.exists():
        return
    before = {table["title"]: table for table in json.loads(path.read_text())["tables"]}
    for report in reports:
        old = before.get(report.title, {"rows": [], "notes": []})
        measured = {tuple(row[: report.texts]) for row in report.rows}
        report.rows += [row for row in old["rows"] if tuple(row[: report.texts]) not in measured]
        report.rows.sort(key=lambda row: order.index(row[0]) if row[0] in order else len(order))
        report.notes += [note for note in old["notes"] if note not in report.notes]


def finish(reports: Sequence[Report], path: Path | None, passed: bool) -> None:
    """Prints the tables, writes them to `path` if there is one, and exits: with 1 unless passed."""
    for report in reports:
        report.show(Console(width=140))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        tables = [asdict(report) for report in reports]
        when = dt.datetime.now(dt.timezone.utc).date().isoformat()
        path.write_text(json.dumps({"date": when, "machine": machine(), "tables": tables}))
    sys.exit(0 if passed else 1)


def machine() -> str:
    """The CPU, and how many of its cores may be used."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.partition(":")[2] for line in info.splitlines() if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} cores of {(names or ['a CPU'])[0].strip()}"


def thread_counts() -> list[int]:
    """Numbers of threads to measure with: 1, 2, 4 ... up to the cores that may be used."""
    cores = len(os.sched_getaffinity(0))
    return [1 << power for power in range(cores.bit_length())]
