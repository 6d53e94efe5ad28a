# SPDX-License-Identifier: Apache-2.0
"""MiniGrid and BabyAI: the tasks that the wheel envpool-minigrid adds to EnvPool.

    env = envpool.make("MiniGrid-DoorKey-8x8-v0", num_envs=64)
    obs, info = env.reset()
    envpool_minigrid.decode_mission(obs["mission"][0])

The levels are in the compiled module ``envpool_minigrid._minigrid``, which ``envpool.make``
imports. They are minigrid's; env i under seed s plays the episodes that ``gymnasium.make`` plays
after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Prepared, Task, hookimpl

from ._missions import decode_mission as decode_mission
from ._prepare import prepare
from ._tasks import tasks


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """Sets a level's step limit, and converts images as observations."""
    return prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Compared]:
    """The packages, with versions, with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
