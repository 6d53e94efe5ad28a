# SPDX-License-Identifier: Apache-2.0
"""Steps beside EnvPool 1.2.5, and beside Gymnasium's environments in processes of their own.

Actions are random; resets are a part of the time.
"""

from __future__ import annotations

from comparison import ENVPOOL_NAME, Comparison, Row, Side, pools

# Least ratios to the original with one environment, with more, and to Gymnasium's processes.
GOALS = {
    "LunarLander-v3": (6.0, 1.8, 10.0),
    "BipedalWalker-v3": (1.4, 1.4, 5.0),
    "CarRacing-v3": (2.3, 2.3, 20.0),
}
SHAPES = ((1, 1), (8, 1), (64, 1), (8, 2), (64, 2))
PROCESSES = 8


def row(task: str, num_envs: int, num_threads: int) -> Row:
    """One task; rows with as many environments as processes also have Gymnasium's figures."""
    alone, many, gymnasium = GOALS[task]
    sides = pools(task, num_envs, num_threads=num_threads)
    goals = {ENVPOOL_NAME: alone if num_envs == 1 else many}
    if (num_envs, num_threads) == (PROCESSES, 1):
        name = "AsyncVectorEnv"
        sides.append(Side(name, {"task": task, "num_envs": num_envs}, "vector"))
        goals[name] = gymnasium
    return Row((task, str(num_envs), str(num_threads)), num_envs, sides, goals)


def table(title: str, tasks: list[str], seconds: float) -> Comparison:
    """Some tasks, with turns of this length."""
    rows = [row(task, *shape) for task in tasks for shape in SHAPES]
    columns = ("task", "envs", "threads")
    return Comparison(title, columns, rows, rounds=5, seconds=seconds, judged="CPU ratio")


TABLES = [
    table("Box2D", ["LunarLander-v3", "BipedalWalker-v3"], 0.4),
    # An episode of CarRacing begins with a second, 50 steps, in which the whole track is visible:
    # turns are longer than that.
    table("CarRacing", ["CarRacing-v3"], 6.0),
]
