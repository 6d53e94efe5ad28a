# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python against gymnasium.vector and Stable-Baselines3.

Every side has its worker processes. PyTorch, which comes with Stable-Baselines3, takes some 5 GB
as PyPI has it for x86-64, with CUDA; PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu gives
the small one.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from comparison import Comparison, Python, Row, Side

FILE = Path(__file__).with_name("speed_sides.py")
SB3 = Python("peer-sb3", "gymnasium[box2d]>=1.4", "stable-baselines3>=2.4")


def ours(name: str, task: str, num_envs: int, batch_size: int, **options: Any) -> Side:
    """Our pool."""
    options = {"task": task, "num_envs": num_envs, "batch_size": batch_size, **options}
    return Side(name, options, "ours", FILE)


def row(task: str, num_envs: int, goal: float) -> Row:
    """The same environments in three kinds of processes."""
    options = {"task": task, "num_envs": num_envs}
    peers = [
        Side("gymnasium", options, "gymnasiums", FILE),
        Side("sb3", options, "stable_baselines3s", FILE, SB3),
    ]
    goals = {"gymnasium": goal, "sb3": 2.0}
    return Row(
        (task, str(num_envs)), num_envs, [ours("ours", task, num_envs, num_envs), *peers], goals
    )


GOALS = {"CartPole-v1": 2.0, "LunarLander-v3": 1.5, "image 84x84x4": 2.0}
COLUMNS = ("environment", "envs")
TABLES = [
    Comparison(
        "Environments written in Python",
        COLUMNS,
        [row(task, count, goal) for task, goal in GOALS.items() for count in (8, 64)],
        seconds=0.5,
    ),
    Comparison(
        "One of 8 environments sleeps 10 times as long",
        COLUMNS,
        [
            Row(
                ("uneven, batches of 8", "16"),
                8,
                [
                    ours("ours", "uneven", 16, 8, num_workers=16),
                    dataclasses.replace(
                        ours("ours, synchronous", "uneven", 16, 16, num_workers=16), steps=16
                    ),
                ],
                3.0,
            )
        ],
        seconds=0.5,
    ),
]
