# SPDX-License-Identifier: Apache-2.0
"""CartPole-v1 against its peers: the original EnvPool, Gymnasium's NumPy version, a C++ loop.

    python tools/benchmarks/cartpole.py [--rounds 15] [--seconds 0.15] [--json out.json]

Every comparison has two processes, ours and the peer's, which take turns round by round on the same
machine, so that both see the same noise. Quoted are medians over the rounds and the ratio of the
medians; the last column is the quartile range of the ratio pair by pair. Needs the packages of this
checkout installed in the running Python, a C++ compiler, and `pip install envpool==1.2.5` (done
once, kept in .nox/peer).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path

from _report import Report, figure, finish, thread_counts
from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parents[2]
PEER = "envpool==1.2.5"
THREADS = thread_counts()[-1]


@dataclass
class Comparison:
    """Ours against a peer: what each worker is asked for, and by how much ours must be faster."""

    name: str
    peer: str
    ours_work: dict[str, object]
    peer_work: dict[str, object]
    goal: float
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    ours_cpu: list[float] = field(default_factory=list)
    theirs_cpu: list[float] = field(default_factory=list)


class Worker:
    """A process that runs rounds of one workload.

    Attributes:
        calls: How many it has run.
    """

    def __init__(self, command: list[str]) -> None:
        """Starts the process and waits until it is ready."""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=tempfile.gettempdir(),
        )
        self._expect("ready")
        self.calls = 0

    def _expect(self, wanted: str | None) -> str:
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"the worker ended: {self._process.args!r}")
            line = line.strip()
            if wanted is None or line == wanted:
                return line

    def run(self, calls: int) -> tuple[float, float]:
        """Wall and CPU microseconds per call over one round of `calls`."""
        self.calls += calls
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"calls": calls}) + "\n")
        self._process.stdin.flush()
        result = json.loads(self._expect(None))
        return result["wall"] / calls * 1e6, result["cpu"] / calls * 1e6

    def calls_for(self, seconds: float) -> int:
        """How many calls make a round of about `seconds`."""
        calls = 8
        while True:
            wall, _ = self.run(calls)
            if wall * calls >= 0.02e6:
                return max(1, int(seconds * 1e6 / wall))
            calls *= 4

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


def peer_python() -> str:
    """The Python of an environment that has the original EnvPool; made once."""
    folder = ROOT / ".nox" / "peer"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
        (folder / "complete").touch()
    return str(python)


def bare_loop(folder: str) -> str:
    """Compiles the C++ loop with the flags of the wheels."""
    program = str(Path(folder) / "bare_cartpole")
    subprocess.run(
        [
            os.environ.get("CXX", "g++"),
            *("-std=c++20", "-O3", "-DNDEBUG", "-pthread"),
            *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
            f"-I{ROOT / 'envpool-core' / 'include'}",
            f"-I{ROOT / 'envpool-classic' / 'cpp'}",
            str(ROOT / "tools" / "benchmarks" / "bare_cartpole.cc"),
            *map(str, sorted((ROOT / "envpool-core" / "sources" / "engine").glob("*.cc"))),
            *("-o", program),
        ],
        check=True,
    )
    return program


def comparisons() -> list[Comparison]:
    """The rows of the table."""

    def pool(num_envs: int, batch_size: int, num_threads: int = THREADS) -> dict[str, object]:
        return {"num_envs": num_envs, "batch_size": batch_size, "num_threads": num_threads}

    rows = []
    for num_envs, goal in ((1, 50), (8, 60), (64, 50), (1024, 55)):
        work = pool(num_envs, num_envs)
        rows.append(
            Comparison(f"sync, {num_envs} env{'s'[: num_envs > 1]}", PEER, work, work, goal)
        )
    rows.append(
        Comparison("async, 1024 envs, batch 256", PEER, pool(1024, 256), pool(1024, 256), 25)
    )
    vector: dict[str, object] = {"side": "gymnasium", "num_envs": 64}
    rows.append(Comparison("sync, 64 envs", "Gymnasium CartPoleVectorEnv", pool(64, 64), vector, 8))
    for threads in thread_counts():
        # Threads have to find each other; one has only the books to keep.
        share = 0.85 if threads == 1 else 0.8
        bare: dict[str, object] = {"bare": True, "num_envs": 1024, "num_threads": threads}
        name = f"sync, 1024 envs, {threads} thread{'s' if threads > 1 else ''}"
        rows.append(Comparison(name, "bare C++ loop", pool(1024, 1024, threads), bare, share))
    return rows


def command(work: dict[str, object], python: str, bare: str) -> list[str]:
    """How the worker of a workload is started."""
    if work.get("bare"):
        return [bare, str(work["num_envs"]), str(work["num_threads"])]
    worker = str(ROOT / "tools" / "benchmarks" / "_worker.py")
    return [python, worker, json.dumps({"side": "envpool", **work})]


def measure(row: Comparison, rounds: int, seconds: float, bare: str) -> None:
    """Fills in the times of a comparison, the two sides taking turns."""
    peer = peer_python() if row.peer == PEER else sys.executable
    ours = Worker(command(row.ours_work, sys.executable, bare))
    theirs = Worker(command(row.peer_work, peer, bare))
    ours_calls, their_calls = ours.calls_for(seconds), theirs.calls_for(seconds)
    for _ in range(rounds):
        for worker, calls, walls, cpus in (
            (ours, ours_calls, row.ours, row.ours_cpu),
            (theirs, their_calls, row.theirs, row.theirs_cpu),
        ):
            wall, cpu = worker.run(calls)
            walls.append(wall)
            cpus.append(cpu)
    ours.close()
    theirs.close()


def main() -> None:
    """Measures and prints the table; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    rows = comparisons()
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_loop(folder)
        for row in track(rows, description="measuring", console=Console(stderr=True)):
            measure(row, options.rounds, options.seconds, bare)
    title = f"CartPole-v1 through Python, {THREADS} threads, medians of {options.rounds} rounds"
    columns = ("work", "peer", "ours, µs/call", "peer, µs/call", "ratio", "CPU ratio", "goal")
    report = Report(title, (*columns, "quartiles"), texts=2)
    missed = 0
    for row in rows:
        ours, theirs = statistics.median(row.ours), statistics.median(row.theirs)
        ratio = theirs / ours
        cpu = statistics.median(row.theirs_cpu) / max(statistics.median(row.ours_cpu), 1e-9)
        pairs = [b / a for a, b in zip(row.ours, row.theirs, strict=True)]
        low, _, high = statistics.quantiles(pairs, n=4)
        missed += ratio < row.goal
        report.add(
            row.name,
            row.peer.replace("==", " "),
            *(figure(value) for value in (ours, theirs, ratio, cpu)),
            f"{row.goal:g}" + ("" if ratio >= row.goal else " missed"),
            f"{figure(low)} .. {figure(high)}",
        )
    finish([report], options.json, missed == 0)


if __name__ == "__main__":
    main()
