# SPDX-License-Identifier: Apache-2.0
"""One pool over many machines: actors of Ray, each with a slice of the environments.

    pool = envpool_ray.make("Pong-v5", num_envs=1024, batch_size=256, num_actors=8)

The task "ray:Pong-v5" of `envpool.make` is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from envpool import Finding, Prepared, Task, hookimpl

from . import _tasks
from ._cluster import cluster
from ._tasks import make

if TYPE_CHECKING:
    import typer

__all__ = ["cluster", "make"]


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """None: every task of another family is one of these, with "ray:" before its id."""
    yield from ()


@hookimpl
def envpool_task(task_id: str) -> Task | None:
    """A task of another family, in actors."""
    return _tasks.find(task_id)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """What actors make, and how they are placed."""
    from ._prepare import prepare

    return prepare(task, options, build)


@hookimpl
def envpool_commands(app: typer.Typer) -> None:
    """`envpool ray bench`."""
    from ._command import add_commands

    add_commands(app)


@hookimpl
def envpool_findings() -> Iterator[Finding]:
    """The version of Ray, its cluster, and the memory for results."""
    from ._findings import findings

    yield from findings()
