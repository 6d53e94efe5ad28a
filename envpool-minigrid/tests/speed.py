# SPDX-License-Identifier: Apache-2.0
"""Steps and levels beside EnvPool 1.2.5 and minigrid's own, in Gymnasium's processes.

Actions are random, so that levels are made when episodes end. A level is a reset of all
environments.
"""

from __future__ import annotations

from comparison import ENVPOOL, ENVPOOL_NAME, Comparison, Row, Side, pools

NUM_ENVS, MANY_ENVS = 64, 1024
TASKS = (
    "MiniGrid-Empty-8x8-v0",
    "MiniGrid-DoorKey-8x8-v0",
    "MiniGrid-MultiRoom-N6-v0",
    "BabyAI-GoToLocal-v0",
    "BabyAI-BossLevel-v0",
)


def row(task: str, function: str, threads: int = 1) -> Row:
    """One task; the call is `step` or `reset`."""
    ours = Side("ours", {"task": task, "num_envs": NUM_ENVS, "num_threads": threads}, function)
    peer = {
        "task": task,
        "num_envs": NUM_ENVS,
        "imports": ["minigrid"],
        "only_reset": function == "resets",
        "vector_kwargs": {"shared_memory": False},
    }
    what = {"pool": "step", "resets": "level"}[function]
    sides = [ours, ours.against(ENVPOOL), Side("minigrid", peer, "vector")]
    goal = {ENVPOOL_NAME: 15, "minigrid": 500} if what == "step" else None
    if (task, what) == ("BabyAI-BossLevel-v0", "level"):
        goal = {ENVPOOL_NAME: 5}
    # minigrid's figures appear once: it has no threads.
    return Row((task, what, str(threads)), NUM_ENVS, sides if threads == 1 else sides[:2], goal)


def many(task: str, threads: int) -> Row:
    """Steps of a large pool, beside EnvPool 1.2.5."""
    sides = pools(task, MANY_ENVS, num_threads=threads)
    return Row((task, f"step of {MANY_ENVS}", str(threads)), MANY_ENVS, sides)


TABLES = [
    Comparison(
        "MiniGrid",
        ("task", "of", "threads"),
        [
            *(row(task, of, n) for n in (1, 2) for task in TASKS for of in ("pool", "resets")),
            *(many(task, n) for n in (1, 2) for task in TASKS),
        ],
        rounds=5,
        judged="CPU ratio",
    )
]
