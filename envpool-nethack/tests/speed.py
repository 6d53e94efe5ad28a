# SPDX-License-Identifier: Apache-2.0
"""Games beside the packages' own environments, one by one and as Gymnasium's vector of processes.

Actions are random. All arrays of an id's default are asked for, on both sides.
"""

from __future__ import annotations

from pathlib import Path

from comparison import Comparison, Row, Side

SIDES = Path(__file__).with_name("sides.py")
PACKAGE = "nle 1.3.0"
MINIHACK = "minihack 1.0.2"


def one(task: str, goal: float) -> Row:
    """One game, in the calling thread."""
    options = {"task": task, "num_envs": 1, "num_threads": 1}
    peer = MINIHACK if task.startswith("MiniHack") else PACKAGE
    sides = [Side("ours", options), Side(peer, {"task": task}, "one", SIDES)]
    return Row((task, "1"), 1, sides, goal)


def many(task: str, num_envs: int, goal: float) -> Row:
    """Many games, two threads; the other side has a process for each."""
    options = {"task": task, "num_envs": num_envs, "num_threads": 2}
    other = {"task": task, "num_envs": num_envs}
    sides = [Side("ours", options), Side("AsyncVectorEnv", other, "vector", SIDES)]
    return Row((task, str(num_envs)), num_envs, sides, goal)


def new(task: str, goal: float) -> Row:
    """A game that is made anew, with levels that the cache has."""
    other = {"task": task}
    peer = MINIHACK if task.startswith("MiniHack") else PACKAGE
    sides = [Side("ours", other, "made_here", SIDES), Side(peer, other, "made", SIDES)]
    return Row((task, "make and reset"), 1, sides, goal)


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
        [new("MiniHack-Room-5x5-v0", 10), new("MiniHack-Quest-Hard-v0", 10)],
        per_call=True,
        judged="CPU ratio",
    ),
]
