# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python, in worker processes: Gymnasium's, PettingZoo's and users' own.

envpool.make("python:LunarLander-v3", num_envs=64, batch_size=16)
envpool_python.make([make_env] * 8)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Prepared, Task, hookimpl

from . import _tasks
from ._make import make

__all__ = ["make"]


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """The tasks of Gymnasium's present registry."""
    yield from _tasks.tasks()


@hookimpl
def envpool_task(task_id: str) -> Task | None:
    """Any id that Gymnasium can resolve."""
    return _tasks.find(task_id)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Makes the recipe with which workers make the environments."""
    from ._prepare import prepare

    return prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the workers' start methods and the limits of shared memory."""
    from ._findings import findings

    yield from findings()
