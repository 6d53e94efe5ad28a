# SPDX-License-Identifier: Apache-2.0
"""MuJoCo: Gymnasium's tasks, those of the dm_control suite, and users' own models.

The environments are in the compiled module `envpool_mujoco._mujoco`, which `envpool.make` imports,
with MuJoCo's library beside it. Models are read from the packages that have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Prepared, Task, hookimpl

from . import _gymnasium, _prepare, _tasks
from .family import check_cpu

__all__ = ["gymnasium_models"]

check_cpu()


def gymnasium_models() -> str:
    """The folder with the models of Gymnasium's tasks, in the installed package.

    Raises:
        MissingPackageError: If Gymnasium is not installed.
    """
    return str(_gymnasium.assets())


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Finds the model of the task."""
    return _prepare.prepare(task, options)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the library, the models, and the renderer."""
    from ._findings import findings

    yield from findings()
