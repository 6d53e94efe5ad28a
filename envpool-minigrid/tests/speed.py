# SPDX-License-Identifier: Apache-2.0
"""Steps and levels beside EnvPool 1.2.5 and minigrid's own, in Gymnasium's processes; one thread.

Actions are random, so that levels are made when episodes end. A level is a reset of all
environments.
"""

from __future__ import annotations

from comparison import ENVPOOL, Comparison, Row, Side

NUM_ENVS = 64
TASKS = (
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DoorKey-8x8-v0",
    "MiniGrid-MultiRoom-N6-v0",
    "BabyAI-GoToLocal-v0",
    "BabyAI-BossLevel-v0",
)


def row(task: str, function: str) -> Row:
    """One task: what is called is `step` or `reset`."""
    ours = Side("ours", {"task": task, "num_envs": NUM_ENVS, "num_threads": 1}, function)
    peer = {
        "task": task,
        "num_envs": NUM_ENVS,
        "imports": ["minigrid"],
        "only_reset": function == "resets",
        "vector_kwargs": {"shared_memory": False},
    }
    what = {"pool": "step", "resets": "level"}[function]
    sides = [ours, ours.against(ENVPOOL), Side("minigrid", peer, "vector")]
    return Row((task, what), NUM_ENVS, sides)


TABLES = [
    Comparison(
        "MiniGrid",
        ("task", "of"),
        [row(task, function) for task in TASKS for function in ("pool", "resets")],
        rounds=5,
        judged="CPU ratio",
    )
]
