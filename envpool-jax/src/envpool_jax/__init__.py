# SPDX-License-Identifier: Apache-2.0
"""Environments written in JAX, a whole batch in one compiled step: those of libraries and your own.

    envpool.make("jax:gymnax/CartPole-v1", num_envs=1024)
    envpool_jax.make(MyEnv(), num_envs=1024)

JAX is imported when a pool or a spec is made, not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Prepared, Task, hookimpl

from . import _tasks
from ._tasks import make
from .protocol import JaxEnv, Step

__all__ = ["JaxEnv", "Step", "make"]


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """The tasks of the installed libraries."""
    yield from _tasks.tasks()


@hookimpl
def envpool_task(task_id: str) -> Task | None:
    """Any id of an adapter, and classes by their names."""
    return _tasks.find(task_id)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Makes the environment of a library or of the user."""
    return _tasks.prepare(task, options, build)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports JAX's version, its devices, and the installed libraries."""
    from ._findings import findings

    yield from findings()
