# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python, in worker processes: Gymnasium's, PettingZoo's and your own.

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
    """What Gymnasium knows now."""
    yield from _tasks.tasks()


@hookimpl
def envpool_task(task_id: str) -> Task | None:
    """Any id that Gymnasium can find."""
    return _tasks.find(task_id)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """How workers make the environments."""
    from ._prepare import prepare

    return prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """How workers can start, and how much memory they can share."""
    from ._findings import findings

    yield from findings()
