# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's Box2D tasks, which the wheel envpool-box2d adds to EnvPool.

The environments are in the compiled module ``envpool_box2d._box2d``, which ``envpool.make``
imports. Their rules are Gymnasium's, and so is the physics engine, Box2D 2.3; env i under seed s
gives the episodes that ``gymnasium.make`` gives after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Prepared, Task, hookimpl

from . import _prepare, _tasks


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """Chooses the compiled environment by its action type."""
    return _prepare.prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Compared]:
    """The packages, with versions, with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
