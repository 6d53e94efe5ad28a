# SPDX-License-Identifier: Apache-2.0
"""Classic control and toy text: the tasks that the wheel envpool-classic adds to EnvPool.

The environments are in the compiled module ``envpool_classic._classic``, which ``envpool.make``
imports. Their rules are Gymnasium's; env i under seed s gives the episodes that ``gymnasium.make``
gives after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Task, hookimpl

from . import _prepare, _tasks


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> None:
    """Loads the images for a pool that draws."""
    _prepare.prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports Gymnasium's images, and the packages with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
