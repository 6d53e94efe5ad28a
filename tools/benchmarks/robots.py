# SPDX-License-Identifier: Apache-2.0
"""Tables of families on envpool-mujoco beside EnvPool 1.2.5: steps, resets, making, memory.

Goals are ratios of CPU time. Actions are random. Where the parts of an episode differ in cost, both
sides play whole ones, so that both have as many resets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from comparison import (
    ENVPOOL,
    ENVPOOL_NAME,
    Comparison,
    Figure,
    Figures,
    Row,
    Side,
    Table,
    answers,
    pools,
)

COUNTS = (8, 64)  # environments
# The numbers of environments in measurements of memory: the original's, each of which has a model,
# and ours, which share a model. Resets are of FEW on both sides.
FEW, MANY = 8, 256
# The cost of another pool of 64, after a pool that has loaded the model.
MAKE = """
first = envpool.make("{task}", num_envs=1)
start = time.process_time()
pool = envpool.make("{task}", num_envs=64, num_threads=1)
print(time.process_time() - start)
"""
MEMORY = """
import ctypes
def use(count):
    pool = envpool.make("{task}", env_type="gymnasium", num_envs=count, num_threads=1)
    pool.reset()
    space = pool.action_space
    pool.step(numpy.zeros((count, *space.shape), space.dtype))
    return pool
first = use(2)
ctypes.CDLL(None).malloc_trim(0)  # what the loading of the model has left would be used first
before = rss()
pool = use({count})
print((rss() - before) / {count} / 1e3)
"""


class Robot(NamedTuple):
    """A task, and its goals.

    Attributes:
        task: Its id.
        step: The least ratio of CPU time of a step.
        reset: The same of a reset; None: no goal.
        make: Seconds that 64 environments may take beyond the loading of their model.
        episode: Steps of an episode and its reset, where whole ones are played.
        most: The most environments of a pool that plays whole episodes; larger pools play parts.
    """

    task: str
    step: float
    reset: float | None = None
    make: float = 0.3
    episode: int = 0
    most: int = 64


def tables(name: str, robots: Sequence[Robot]) -> list[Table]:
    """The tables of a family."""
    columns, judged = ("task", "envs"), "CPU ratio"
    steps, resets = [*_steps(robots)], [*_resets(robots)]
    return [
        Comparison(name, columns, steps, rounds=5, seconds=0.3, judged=judged),
        Comparison(
            f"{name}: resets",
            columns,
            resets,
            rounds=3,
            seconds=0.3,
            judged=judged,
            unit="resets/s",
        ),
        Figures(f"{name}: start and memory", [*_figures(robots)]),
    ]


def _steps(robots: Sequence[Robot]) -> Iterator[Row]:
    for robot in robots:
        for count in COUNTS:
            whole = robot.episode if count <= robot.most else 0
            sides = pools(robot.task, count, num_threads=1)
            yield Row((robot.task, str(count)), count, sides, robot.step, whole=whole)


def _resets(robots: Sequence[Robot]) -> Iterator[Row]:
    for robot in robots:
        ours = Side("ours", {"task": robot.task, "num_envs": FEW, "num_threads": 1}, "resets")
        yield Row((robot.task, str(FEW)), FEW, [ours, ours.against(ENVPOOL)], robot.reset)


def _figures(robots: Sequence[Robot]) -> Iterator[Figure]:
    for robot in robots:
        make = MAKE.replace("{task}", robot.task)
        yield Figure([f"make of 64 {robot.task}, CPU"], make, ["s"], [robot.make], times=3)
    for robot in robots:
        memory = MEMORY.replace("{task}", robot.task)
        ours = memory.replace("{count}", str(MANY))
        yield Figure([f"memory of an environment, {robot.task}"], ours, ["kB"], [1000])
        theirs = memory.replace("{count}", str(FEW))
        yield Figure(
            [f"memory of an environment, {robot.task}, {ENVPOOL_NAME}"],
            partial(answers, theirs, ENVPOOL),
            ["kB"],
            [None],
        )
