# SPDX-License-Identifier: Apache-2.0
"""Pools of JAX environments beside the libraries' own wrappers that reset, and EnvPool 1.2.5.

CPU time is of the whole process: XLA has threads.
"""

from __future__ import annotations

from pathlib import Path

from comparison import ENVPOOL, ENVPOOL_NAME, Comparison, Row, Side

FILE = Path(__file__).with_name("speed_sides.py")
TASKS = ("gymnax/CartPole-v1", "pgx/tic_tac_toe", "jumanji/Game2048-v1")


def row(task: str, num_envs: int, resets: str) -> Row:
    """One way to begin episodes anew, which is an option of ours."""
    options = {"task": task, "num_envs": num_envs}
    sides = [
        Side("ours", {**options, "resets": resets}, "pool", FILE),
        Side("library", options, "library", FILE),
        Side(ENVPOOL_NAME, options, "upstream", FILE, ENVPOOL),
    ]
    return Row((task, str(num_envs), resets), num_envs, sides)


TABLES = [
    Comparison(
        "JAX",
        ("task", "envs", "resets"),
        [
            row(task, num_envs, resets)
            for task in TASKS
            for num_envs in (64, 1024, 16384)
            for resets in ("cond", "chunks", "select")
        ],
        rounds=5,
        seconds=1.0,
    )
]
