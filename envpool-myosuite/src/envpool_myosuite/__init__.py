# SPDX-License-Identifier: Apache-2.0
"""MyoSuite 2.12.2: poses, reaching, hands with objects, walking and challenges, by muscles.

The environments are in the compiled module `envpool_myosuite._myosuite`, which `envpool.make`
imports. They simulate with what envpool-mujoco has, and read the models of the installed myosuite.
Environment i under seed s gives the episodes of the reference's environment that was made with
`seed=s + i`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Prepared, Task, hookimpl
from envpool_mujoco import family

from . import _prepare, _tasks

family.check_cpu()


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Finds the models, and reads a motion, sizes or a relief."""
    return _prepare.prepare(task, options)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the models, the renderer, and the packages with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
