# SPDX-License-Identifier: Apache-2.0
"""Wheels that clang compiled against the same wheels by gcc: engine and Atari, one thread.

    python tools/benchmarks/compilers.py [--rounds 60] [--seconds 0.03] [--works CartPole-v1]

gcc's are in dist/, those of clang, from the package `ziglang`, in dist/portable; both for the
Python that runs this. Each side has an environment of its own (.nox/compilers), and a process for
each work. They take turns round by round, so that both see the same noise; a third process, with
gcc's wheel once more, shows how much noise that is. Quoted are medians, of CPU time and of the
rounds' ratios.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import statistics
import subprocess
import sys
import venv
from pathlib import Path

from _report import Report, figure, finish, keep_others
from cartpole import ROOT, Worker
from rich.console import Console
from rich.progress import track

FOLDERS = {"gcc": ROOT / "dist", "clang": ROOT / "dist" / "portable"}
WHEELS = ("envpool_classic", "envpool_atari")
GOAL = 0.95
"""The speed of clang's, as a share of gcc's."""
POOLS = {f"CartPole-v1, {count} env{'s'[: count > 1]}": count for count in (1, 64, 1024)}
GAMES = ("pong", "montezuma_revenge", "breakout", "space_invaders", "ms_pacman", "qbert")
NUM_ENVS = 32
PROCESSES = 3
"""How many of each side, one after the other: where the memory of a process lies, is by chance."""


def commands() -> dict[str, list[str]]:
    """For every work the script of its worker, and what the worker is told."""
    folder = ROOT / "tools" / "benchmarks"
    works = {}
    for name, count in POOLS.items():
        work = {"side": "envpool", "num_envs": count, "batch_size": count, "num_threads": 1}
        works[name] = [str(folder / "_worker.py"), json.dumps(work)]
    for game in GAMES:
        work = {"side": "envpool", "num_envs": NUM_ENVS, "batch_size": NUM_ENVS, "num_threads": 1}
        told = json.dumps({**work, "game": game})
        works[f"{game}, {NUM_ENVS} envs"] = [str(folder / "_atari_worker.py"), told]
    return works


def python_of(side: str) -> str:
    """The Python of an environment that has the wheels of one compiler, as they are now."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheels = [*(ROOT / "dist").glob("envpool_core-*.whl")]
    for stem in WHEELS:
        found = [*FOLDERS[side].glob(f"{stem}-*-{tag}-manylinux*_{platform.machine()}.whl")]
        if len(found) != 1:
            sys.exit(
                f"{FOLDERS[side].relative_to(ROOT)} has {len(found)} wheels of {stem} for {tag}; "
                "needed: 1. `nox -s wheels` builds gcc's, `nox -s portable` clang's."
            )
        wheels += found
    folder = ROOT / ".nox" / "compilers" / side
    python = folder / "bin" / "python"
    stamp = folder / "digest"
    digest = hashlib.sha256(b"".join(wheel.read_bytes() for wheel in wheels)).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        # Anew: their version is that of those before.
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "ale-py>=0.10"]
        subprocess.run([*install, *map(str, wheels)], check=True)
        stamp.write_text(digest)
    return str(python)


def measure(
    command: list[str], pythons: dict[str, str], rounds: int, seconds: float
) -> list[tuple[float, float, float]]:
    """Microseconds of CPU time of a call, for every round: gcc's, clang's, and gcc's once more."""
    found = []
    for _ in range(PROCESSES):
        workers = [Worker([pythons[side], *command]) for side in ("gcc", "clang", "gcc")]
        calls = workers[0].calls_for(seconds)
        for worker in workers[1:]:
            worker.run(calls)
        for number in range(rounds // PROCESSES):
            times = [0.0] * len(workers)
            for turn in range(len(workers)):
                one = (number + turn) % len(workers)  # all are the first in turn
                _, times[one] = workers[one].run(calls)
            found.append((times[0], times[1], times[2]))
        for worker in workers:
            worker.close()
    return found


def main() -> None:
    """Measures and prints the table; the exit code is 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.03)
    parser.add_argument(
        "--works",
        nargs="*",
        default=[],
        help="beginnings of their names; the others stay in --json",
    )
    parser.add_argument("--json", type=Path, help="a file for the tables")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    works = commands()
    chosen = [name for name in works if not options.works or name.startswith(tuple(options.works))]
    pythons = {side: python_of(side) for side in FOLDERS}
    columns = ("work", "gcc, µs/call", "gcc / clang", "gcc / gcc again")
    report = Report("Wheels of two compilers, one thread, CPU time", (*columns, "goal"))
    good = True
    for name in track(chosen, description="measuring", console=Console(stderr=True)):
        found = measure(works[name], pythons, options.rounds, options.seconds)
        ratio = statistics.median(first / other for first, other, _ in found)
        again = statistics.median(first / other for first, _, other in found)
        good &= ratio >= GOAL
        report.add(
            name,
            figure(statistics.median(first for first, *_ in found)),
            f"{ratio:.3f}",
            f"{again:.3f}",
            f"{GOAL:g}" + ("" if ratio >= GOAL else " missed"),
        )
    keep_others([report], options.json, list(works))
    finish([report], options.json, good)


if __name__ == "__main__":
    main()
