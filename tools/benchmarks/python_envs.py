# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python against gymnasium.vector and Stable-Baselines3.

    python tools/benchmarks/python_envs.py [--rounds 7] [--seconds 0.5] [--without-sb3]

Every side is a process of its own, which has its workers; all take turns round by round on the same
machine. What counts is steps of all environments per second, with the same actions; quoted are
medians, and the ratio is the median of those of the rounds. stable-baselines3 is installed once, in
.nox/peer-sb3. PyTorch, which comes with it, takes some 5 GB as PyPI has it for x86-64, with CUDA;
PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu gives the small one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import envpool
import gymnasium
from _report import Report, figure, finish
from cartpole import ROOT, Worker
from rich.console import Console
from rich.progress import track

PEER = ("stable-baselines3>=2.4", "gymnasium[box2d]>=1.4")
GOALS = {"CartPole-v1": 2.0, "LunarLander-v3": 1.5, "image 84x84x4": 2.0}
GOAL_SB3 = 2.0
GOAL_UNEVEN = 3.0


def peer_python() -> str:
    """The Python of an environment that has Stable-Baselines3; made once."""
    folder = ROOT / ".nox" / "peer-sb3"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        with Console(stderr=True).status("installing stable-baselines3, with PyTorch"):
            venv.create(folder, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PEER], check=True)
        (folder / "complete").touch()
    return str(python)


def command(python: str, side: str, task: str, num_envs: int, **options: Any) -> list[str]:
    """A process that steps one side."""
    work = {"side": side, "task": task, "num_envs": num_envs, "batch_size": num_envs, **options}
    return [python, str(ROOT / "tools" / "benchmarks" / "_python_worker.py"), json.dumps(work)]


def compare(
    title: str, commands: dict[str, tuple[int, list[str]]], rounds: int, seconds: float
) -> dict[str, list[float]]:
    """Steps per second of each side, a figure for each round.

    Args:
        title: For the progress bar.
        commands: For each side, rows of a batch and its process.
        rounds: How often each has its turn.
        seconds: How long a turn is, about.
    """
    workers = {name: (rows, Worker(argv)) for name, (rows, argv) in commands.items()}
    calls = {name: worker.calls_for(seconds) for name, (_, worker) in workers.items()}
    speeds: dict[str, list[float]] = {name: [] for name in workers}
    for _ in track(range(rounds), title, console=Console(stderr=True), transient=True):
        for name, (rows, worker) in workers.items():
            wall, _ = worker.run(calls[name])
            speeds[name].append(rows / wall * 1e6)
    for _, worker in workers.values():
        worker.close()
    return speeds


def main() -> None:
    """Measures and prints; fails if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each side in a round")
    parser.add_argument("--envs", type=int, nargs="*", default=[8, 64])
    parser.add_argument("--without-sb3", action="store_true")
    parser.add_argument("--json", type=Path, help="where to keep the tables")
    options = parser.parse_args()
    pythons = {"ours": sys.executable, "gymnasium": sys.executable}
    if not options.without_sb3:
        pythons["sb3"] = peer_python()
    columns = ("environment", "envs", "ours, steps/s", "peer", "peer, steps/s", "ratio", "goal")
    report = Report("Environments written in Python", columns)
    passed = True

    def add(name: str, num_envs: int, peer: str, sides: list[list[float]], goal: float) -> None:
        nonlocal passed
        ratio = statistics.median(a / b for a, b in zip(*sides, strict=True))
        passed = passed and ratio >= goal
        ours, theirs = (figure(statistics.median(side)) for side in sides)
        wanted = figure(goal) + ("" if ratio >= goal else " missed")
        report.add(name, str(num_envs), ours, peer, theirs, figure(ratio), wanted)

    for task, goal in GOALS.items():
        for count in options.envs:
            commands = {
                side: (count, command(python, side, task, count))
                for side, python in pythons.items()
            }
            speeds = compare(f"{task}, {count}", commands, options.rounds, options.seconds)
            ours = speeds.pop("ours")
            for peer, theirs in speeds.items():
                wanted = GOAL_SB3 if peer == "sb3" else goal
                add(task, count, peer, [ours, theirs], wanted)
    sleepers = {
        mode: (rows, command(sys.executable, "ours", "uneven", 16, batch_size=rows, num_workers=16))
        for mode, rows in (("async", 8), ("sync", 16))
    }
    speeds = compare("uneven", sleepers, options.rounds, options.seconds)
    name = "one in 8 sleeps 10 x, batches of 8"
    add(name, 16, "ours, synchronous", [speeds["async"], speeds["sync"]], GOAL_UNEVEN)
    report.notes.append(f"envpool {envpool.__version__}, gymnasium {gymnasium.__version__}")
    finish([report], options.json, passed)


if __name__ == "__main__":
    main()
