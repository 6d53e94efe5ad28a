# SPDX-License-Identifier: Apache-2.0
"""Games beside the packages' own environments, one by one and as Gymnasium's vector of processes.

Actions are random. Both sides return all arrays of an id's default.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from comparison import Comparison, Figure, Figures, Row, Side

SIDES = Path(__file__).with_name("sides.py")
MEMORY = Path(__file__).with_name("memory.py")
PACKAGE = "nle 1.3.0"
MINIHACK = "minihack 1.0.2"


def one(task: str, goal: float) -> Row:
    """One game, in the calling thread."""
    options = {"task": task, "num_envs": 1, "num_threads": 1}
    peer = MINIHACK if task.startswith("MiniHack") else PACKAGE
    sides = [Side("ours", options), Side(peer, {"task": task}, "one", SIDES)]
    return Row((task, "1"), 1, sides, goal)


def many(task: str, num_envs: int, goal: float) -> Row:
    """Many games, two threads; the other side has a process per game."""
    options = {"task": task, "num_envs": num_envs, "num_threads": 2}
    other = {"task": task, "num_envs": num_envs}
    sides = [Side("ours", options), Side("AsyncVectorEnv", other, "vector", SIDES)]
    return Row((task, str(num_envs)), num_envs, sides, goal)


def new(task: str, num_envs: int, goal: float) -> Row:
    """A new pool with cached levels, against one new environment of the package; per game.

    CPU times include the programs that make the package's levels.
    """
    ours = Side("ours", {"task": task, "num_envs": num_envs}, "made_here", SIDES)
    sides = [ours, Side(MINIHACK, {"task": task}, "made", SIDES, steps=1)]
    return Row((task, str(num_envs)), num_envs, sides, goal)


def megabytes() -> tuple[float, float, float]:
    """The memory of 64 games, ours and the package's, and the ratio."""
    ours, theirs = (
        float(subprocess.check_output([sys.executable, str(MEMORY), kind, "64"], text=True))
        for kind in ("pool", "vector")
    )
    return ours, theirs, ours / theirs


TABLES = [
    Comparison(
        "NetHack, one game",
        ("task", "games"),
        [
            one("NetHackScore-v0", 2),
            one("NetHack-v0", 2),
            one("MiniHack-Room-15x15-v0", 12),
            one("MiniHack-MazeWalk-15x15-v0", 12),
            one("MiniHack-Quest-Hard-v0", 12),
        ],
        judged="CPU ratio",
    ),
    Comparison("NetHack, many games", ("task", "games"), [many("NetHackScore-v0", 64, 6)]),
    Comparison(
        "MiniHack, made anew",
        ("task", "games"),
        [new(f"MiniHack-{name}-v0", n, 10) for name in ("Room-5x5", "Quest-Hard") for n in (1, 64)],
        unit="games/s",
        judged="CPU ratio",
    ),
    Figures(
        "NetHack, memory of 64 games",
        [
            Figure(
                ("ours", "AsyncVectorEnv", "ours, of AsyncVectorEnv's"),
                megabytes,
                ("MB", "MB", ""),
                (None, None, 1 / 30),
                times=3,
            )
        ],
    ),
]
