# SPDX-License-Identifier: Apache-2.0
"""CPU time of a step beside highway-env's own environments, and beside EnvPool 1.2.5.

Actions are random; resets are a part of the time. highway-env's figures are one environment in a
Python loop, or eight in Gymnasium's processes. Most tasks of EnvPool 1.2.5 have other traffic than
the package's; the work is the same in highway-v0, highway-fast-v0, merge-v0 and parking-v0.
"""

from __future__ import annotations

from comparison import ENVPOOL_NAME, Row, Side, pools
from cpu_times import CpuTimes

PACKAGE, PROCESSES = "highway-env", "AsyncVectorEnv"
NUM_PROCESSES = 8
# Least ratios of the median task, and of one task.
MEDIANS = {PACKAGE: 600.0, ENVPOOL_NAME: 3.0, PROCESSES: 300.0}
OF_TASKS = {("highway-v0", ENVPOOL_NAME): 2.5}
TASKS = (
    *("highway-v0", "highway-fast-v0", "exit-v0", "merge-v0", "roundabout-v0", "intersection-v0"),
    *("intersection-v1", "parking-v0", "racetrack-v0", "two-way-v0", "u-turn-v0"),
    "lane-keeping-v0",
)
IN_PROCESSES = ("highway-fast-v0", "merge-v0", "parking-v0")


def row(task: str, num_envs: int) -> Row:
    """One task; rows with as many environments as processes also have Gymnasium's figures."""
    options = {"task": task, "imports": ["highway_env"]}
    alone = Side(PACKAGE, {**options, "num_envs": 1, "mode": "sync"}, "vector", steps=1)
    sides = [*pools(task, num_envs, num_threads=1), alone]
    if task in IN_PROCESSES and num_envs == NUM_PROCESSES:
        sides.append(Side(PROCESSES, {**options, "num_envs": NUM_PROCESSES}, "vector"))
    return Row((task, str(num_envs)), num_envs, sides)


ROWS = [row(task, count) for task in TASKS for count in (8, 64)]
TABLES = [CpuTimes("highway-env", ROWS, MEDIANS, OF_TASKS)]
