# SPDX-License-Identifier: Apache-2.0
"""The tables of a benchmark: the compared sides, and the figures measured without a peer.

    row = Row(("32 environments",), 32, pools("Pong-v5", 32, num_threads=2), goal=5)
    TABLES = [Comparison("Pong", ("work",), [row])]

A family has such `TABLES` in its tests/speed.py; tools/bench.py runs them. Sides of a row are
processes (worker.py) that take turns, round by round, so that all run on the same machine.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import track
from rich.table import Table as RichTable

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PRELUDE = """
import time, numpy, envpool
def rss():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
"""
"""The beginning of every `Figure`'s code."""


@dataclass(frozen=True)
class Settings:
    """The settings of the command line; None: the table decides.

    Attributes:
        rounds: The number of turns of each side.
        seconds: The approximate length of a turn.
        only: Words; a row is measured if its cells contain one. No words: all rows.
    """

    rounds: int | None = None
    seconds: float | None = None
    only: Sequence[str] = ()

    def wants(self, *cells: str) -> bool:
        """Whether a row is measured."""
        return not self.only or any(word in cell for word in self.only for cell in cells)


@dataclass
class Report:
    """A table for the printed and the kept results.

    Attributes:
        title: The subject of the measurement.
        columns: Their names.
        texts: The number of columns, from the left, that are words; the others are figures.
        rows: The cells. A cell that ends in " missed" did not reach its goal.
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

    def show(self) -> None:
        """Prints the table."""
        table = RichTable(title=self.title)
        for number, column in enumerate(self.columns):
            table.add_column(column, justify="left" if number < self.texts else "right")
        for row in self.rows:
            table.add_row(*row)
        console = Console(width=140)
        console.print(table)
        for note in self.notes:
            console.print(note)


class Table(Protocol):
    """A table that can be measured: `Comparison`, `Figures`, or a family's own."""

    def measure(self, settings: Settings) -> list[Report]:
        """Measures the requested rows."""
        ...


class Python:
    """A Python of an environment with a peer, which is made at its first use.

    Args:
        name: The environment's name, a folder in .nox/.
        requirements: The packages to install.
        base: The Python that makes it; by default this one.
    """

    def __init__(self, name: str, *requirements: str, base: str = "") -> None:
        """Makes nothing yet."""
        self._folder, self._requirements = ROOT / ".nox" / name, requirements
        self._base = base or sys.executable

    def __str__(self) -> str:
        """Its path."""
        python, stamp = self._folder / "bin" / "python", self._folder / "complete"
        if not stamp.exists():
            subprocess.run([self._base, "-m", "venv", "--clear", str(self._folder)], check=True)
            command = [str(python), "-m", "pip", "install", "-q", *self._requirements]
            subprocess.run(command, check=True)
            stamp.touch()
        return str(python)


# The original's newest release is for Python 3.12 and newer: nox passes its path.
_PYTHON312 = os.environ.get("ENVPOOL_PEER_PYTHON", "")
_VERSION = "1.2.7" if _PYTHON312 else "1.2.5"
ENVPOOL = Python(f"peer-{_VERSION}", f"envpool=={_VERSION}", base=_PYTHON312)
ENVPOOL_NAME = f"envpool {_VERSION}"


@dataclass(frozen=True)
class Side:
    """A side of a comparison.

    Attributes:
        name: Its name in tables.
        options: The function's arguments.
        function: Makes the environments, and a call of theirs.
        file: The file of the function.
        python: The Python that runs it.
        variables: The variables of its process.
        program: Replaces all of these: a command that answers as worker.py does.
        steps: Environment steps of a call, if they differ from the row's.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    function: str = "pool"
    file: Path = HERE / "sides.py"
    python: str | Python = sys.executable
    variables: Mapping[str, str] = field(default_factory=dict)
    program: Callable[[], list[str]] | None = None
    steps: int = 0

    def command(self) -> list[str]:
        """The command that starts its process."""
        if self.program:
            return self.program()
        options = json.dumps(self.options)
        return [str(self.python), str(HERE / "worker.py"), str(self.file), self.function, options]

    def against(self, python: str | Python, **options: Any) -> Side:
        """The same side, in a Python that has the original EnvPool."""
        return Side(ENVPOOL_NAME, {**self.options, **options}, self.function, python=python)


@dataclass(frozen=True)
class Row:
    """A line for each peer.

    Attributes:
        cells: The subject of the comparison, in words.
        steps: Environment steps of a call.
        sides: Ours, and the peers.
        goal: The factor by which ours should be faster, or a factor for each peer.
        before: Calls before each round that do not count, of an asynchronous pool.
        whole: All sides make the same number of calls, a multiple of this: whole episodes, where
            all environments begin together and parts of an episode differ in cost.
    """

    cells: tuple[str, ...]
    steps: int
    sides: Sequence[Side]
    goal: float | Mapping[str, float] | None = None
    before: int = 0
    whole: int = 0


def pools(task: str, num_envs: int, batch_size: int = 0, **options: Any) -> list[Side]:
    """Two sides: our pool and the original's."""
    options = {"task": task, "num_envs": num_envs, "batch_size": batch_size or num_envs, **options}
    ours = Side("ours", options)
    return [ours, ours.against(ENVPOOL)]


def mode(num_envs: int, batch_size: int) -> str:
    """The name of a way to step."""
    return "sync" if batch_size == num_envs else f"async {batch_size}"


class Worker:
    """A process of a side.

    Attributes:
        calls: The number of its calls so far.
    """

    def __init__(self, side: Side) -> None:
        """Starts the process, and waits until it is ready."""
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  read if it ends
        self._process = subprocess.Popen(
            side.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            text=True, cwd=tempfile.gettempdir(), env={**os.environ, **side.variables},
        )  # fmt: skip
        self.calls = 0
        while self._answer() != "ready":
            pass

    def run(self, calls: int, before: int = 0) -> tuple[float, float]:
        """Wall and CPU microseconds per call over one round."""
        self.calls += calls + before
        assert self._process.stdin is not None
        asked = {"calls": calls, "before": before} if before else {"calls": calls}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        result = json.loads(self._answer())
        return result["wall"] / calls * 1e6, result["cpu"] / calls * 1e6

    def calls_for(self, seconds: float) -> int:
        """The number of calls in a round of about `seconds`."""
        calls = 8
        while True:
            wall, _ = self.run(calls)
            if wall * calls >= min(0.02e6, seconds * 1e6):
                return max(1, int(seconds * 1e6 / wall))
            calls *= 4

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise RuntimeError(f"{self._process.args!r} ended: {self._errors.read()[-2000:]}")
        return line.strip()


@dataclass(frozen=True)
class Measured:
    """The measurements of a side of a row.

    Attributes:
        wall: Microseconds of an environment step, a figure for each round.
        cpu: The same in CPU time.
    """

    wall: list[float]
    cpu: list[float]


def take_turns(row: Row, rounds: int, seconds: float) -> list[Measured]:
    """Measures the sides of a row."""
    workers = [Worker(side) for side in row.sides]
    if row.whole:
        calls = [workers[0].calls_for(seconds)] * len(workers)
        for one in workers[1:]:
            one.run(workers[0].calls)  # so that all are equally far in their episodes
        whole = row.whole * max(1, round(rounds * calls[0] / row.whole))
        rounds = math.ceil(whole / calls[0])
    else:
        calls = [one.calls_for(seconds) for one in workers]
    found: list[list[tuple[float, float]]] = [[] for _ in workers]
    for _ in range(rounds):
        for one, count, out in zip(workers, calls, found, strict=True):
            out.append(one.run(count, row.before))
    for one in workers:
        one.close()
    return [
        Measured(*([value / (side.steps or row.steps) for value in column] for column in columns))
        for side, columns in zip(row.sides, (zip(*out, strict=True) for out in found), strict=True)
    ]


@dataclass(frozen=True)
class Comparison:
    """A table of our side and peers: medians, or means if rows are of whole episodes.

    Attributes:
        title: The subject of the comparison.
        columns: Names of the cells of rows.
        rows: The rows to measure.
        rounds: The number of turns of each side.
        seconds: The approximate length of a turn.
        per_call: Whether the table has microseconds of a call, not steps per second.
        unit: The unit of the counts, if these are not steps.
        judged: The ratio with goals: "ratio", or "CPU ratio", which other programs disturb less.
        mean_goal: Makes a second table of geometric means over the rows that differ in the first
            cell only. A function of the other cells and the peer that returns the goal of the mean.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    rounds: int = 7
    seconds: float = 0.4
    per_call: bool = False
    unit: str = "steps/s"
    judged: str = "ratio"
    mean_goal: Callable[[tuple[str, ...], str], float] | None = None

    def measure(self, settings: Settings) -> list[Report]:
        """Measures all requested rows."""
        rounds = settings.rounds or self.rounds
        unit = "µs/call" if self.per_call else self.unit
        report = Report(
            f"{self.title}, {rounds} rounds",
            (*self.columns, "peer", f"ours, {unit}", f"peer, {unit}", "ratio", "quartiles",
             "ours, CPU µs/step", "CPU ratio", "goal"),
            texts=len(self.columns) + 1,
        )  # fmt: skip
        chosen = [row for row in self.rows if settings.wants(*row.cells)]
        means: dict[tuple[tuple[str, ...], str], list[float]] = defaultdict(list)
        for row in track(chosen, description=self.title, console=Console(stderr=True)):
            ours, *others = take_turns(row, rounds, settings.seconds or self.seconds)
            for side, theirs in zip(row.sides[1:], others, strict=True):
                ratio = self._add(report, row, side.name, ours, theirs)
                means[row.cells[1:], side.name].append(ratio)
        if self.mean_goal is None:
            return [report]
        columns = (*self.columns[1:], "peer", "ratio", "goal")
        summary = Report(f"{self.title}: geometric means", columns, texts=len(columns) - 2)
        for (cells, peer), ratios in means.items():
            mean, goal = statistics.geometric_mean(ratios), self.mean_goal(cells, peer)
            summary.add(*cells, peer, figure(mean), _goal(goal, mean))
        return [report, summary]

    def _add(self, report: Report, row: Row, peer: str, ours: Measured, theirs: Measured) -> float:
        middle = statistics.mean if row.whole else statistics.median
        wall, cpu = middle(theirs.wall) / middle(ours.wall), middle(theirs.cpu)
        cpu_ratio = cpu / max(middle(ours.cpu), 1e-9)
        pairs = [b / a for a, b in zip(ours.wall, theirs.wall, strict=True)]
        low, _, high = (
            statistics.quantiles(pairs, n=4, method="inclusive") if len(pairs) > 1 else [wall] * 3
        )
        values = [middle(side.wall) for side in (ours, theirs)]
        values = [v * row.steps if self.per_call else 1e6 / v for v in values]
        goal = row.goal.get(peer) if isinstance(row.goal, Mapping) else row.goal
        report.add(
            *row.cells, peer, *map(figure, (*values, wall)), f"{figure(low)} .. {figure(high)}",
            figure(middle(ours.cpu)), figure(cpu_ratio),
            _goal(goal, wall if self.judged == "ratio" else cpu_ratio),
        )  # fmt: skip
        return wall if self.judged == "ratio" else cpu_ratio


@dataclass(frozen=True)
class Figure:
    """A figure that is measured without a peer.

    Attributes:
        names: Its names; several, if the code prints several numbers.
        measure: Python code, after `PRELUDE`, that prints the numbers; or a function.
        units: The unit of each number.
        most: The greatest allowed value of each; None: any value.
        times: The number of measurements, each in a process of its own; the table has medians.
    """

    names: Sequence[str]
    measure: str | Callable[[], Sequence[float]]
    units: Sequence[str]
    most: Sequence[float | None]
    times: int = 1

    def values(self) -> list[float]:
        """The numbers."""
        found = [
            answers(self.measure) if isinstance(self.measure, str) else self.measure()
            for _ in range(self.times)
        ]
        return [statistics.median(column) for column in zip(*found, strict=True)]


@dataclass(frozen=True)
class Figures:
    """A table of figures."""

    title: str
    figures: Sequence[Figure]

    def measure(self, settings: Settings) -> list[Report]:
        """Measures all requested figures."""
        report = Report(self.title, ("figure", "measured", "at most"))
        chosen = [one for one in self.figures if settings.wants(*one.names)]
        for one in track(chosen, description=self.title, console=Console(stderr=True)):
            for name, value, unit, most in zip(
                one.names, one.values(), one.units, one.most, strict=True
            ):
                limit = "" if most is None else f"{figure(most)} {unit}".strip()
                if most is not None and value > most:
                    limit += " missed"
                report.add(name, f"{figure(value)} {unit}".strip(), limit)
        return [report]


def answers(code: str, python: str | Python = sys.executable, **variables: str) -> list[float]:
    """The numbers that a program prints; the program begins with `PRELUDE`."""
    done = subprocess.run(
        [str(python), "-c", PRELUDE + code], capture_output=True, text=True, check=False,
        cwd=tempfile.gettempdir(), env={**os.environ, **variables},
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{code}\nended: {done.stderr[-2000:]}")
    return [float(word) for word in done.stdout.split()]


def figure(value: float) -> str:
    """A number with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _goal(goal: float | None, reached: float) -> str:
    return "" if goal is None else f"{goal:g}" + ("" if reached >= goal else " missed")


def thread_counts() -> list[int]:
    """Numbers of threads to measure with: 1, 2, 4 ... up to the cores that may be used."""
    cores = len(os.sched_getaffinity(0))
    return [1 << power for power in range(cores.bit_length())]


def keep(reports: Sequence[Report], path: Path, settings: Settings) -> None:
    """Writes tables for benchmark_page.py; rows that were not requested stay."""
    if settings.only and path.exists():
        old = {_stem(t["title"]): t for t in json.loads(path.read_text())["tables"]}
        for report in reports:
            before = old.get(_stem(report.title), {"rows": []})["rows"]
            new = {tuple(row[: report.texts]): row for row in report.rows}
            rows = [new.pop(tuple(row[: report.texts]), row) for row in before]
            report.rows = [*rows, *new.values()]
    path.parent.mkdir(parents=True, exist_ok=True)
    when = dt.datetime.now(dt.timezone.utc).date().isoformat()
    tables = [asdict(report) for report in reports]
    path.write_text(json.dumps({"date": when, "machine": machine(), "tables": tables}))


def _stem(title: str) -> str:
    return title.partition(",")[0]


def machine() -> str:
    """The CPU, and the number of its cores that may be used."""
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = [line.partition(":")[2] for line in info.splitlines() if line.startswith("model name")]
    return f"{len(os.sched_getaffinity(0))} cores of {(names or ['a CPU'])[0].strip()}"
