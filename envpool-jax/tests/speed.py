# SPDX-License-Identifier: Apache-2.0
"""Pools of JAX environments beside the libraries' own wrappers that reset, and EnvPool 1.2.5.

XLA has threads, so CPU time is of the whole process.
"""

from __future__ import annotations

from pathlib import Path

from comparison import ENVPOOL, ENVPOOL_NAME, Comparison, Row, Side

FILE = Path(__file__).with_name("speed_sides.py")
TASKS = ("gymnax/CartPole-v1", "pgx/tic_tac_toe", "jumanji/Game2048-v1")
CARTPOLE = TASKS[0]
SIZES = (64, 1024, 16384)


def ours(name: str, task: str, num_envs: int, resets: str = "") -> Side:
    """A pool; `resets` is the option for the way to begin episodes again."""
    return Side(name, {"task": task, "num_envs": num_envs, "resets": resets}, "pool", FILE)


def row(task: str, num_envs: int) -> Row:
    """A pool with default options, beside the sides that do the same."""
    options = {"task": task, "num_envs": num_envs}
    peers = [
        Side(task.partition("/")[0], options, "library", FILE),
        Side(ENVPOOL_NAME, options, "upstream", FILE, ENVPOOL),
    ]
    goals = {peers[0].name: 0.9}
    return Row((task, str(num_envs)), num_envs, [ours("ours", task, num_envs), *peers], goals)


def ways(num_envs: int) -> Row:
    """The ways to begin episodes again; the first is this task's default."""
    names = ("select", "cond", "chunks")
    sides = [ours(name, CARTPOLE, num_envs, resets=name) for name in names]
    return Row((CARTPOLE, str(num_envs)), num_envs, sides)


COLUMNS = ("task", "envs")
TABLES = [
    Comparison(
        "JAX",
        COLUMNS,
        [row(task, count) for task in TASKS for count in SIZES],
        rounds=9,
        seconds=0.2,
    ),
    Comparison(
        "resets='select' and other ways", COLUMNS, [ways(n) for n in SIZES], rounds=9, seconds=0.2
    ),
]
