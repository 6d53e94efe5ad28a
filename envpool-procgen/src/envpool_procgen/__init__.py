# SPDX-License-Identifier: Apache-2.0
"""Procgen: sixteen games with randomly generated levels, which the wheel envpool-procgen adds.

The environments are in the compiled module `envpool_procgen._procgen`, which `envpool.make`
imports. Thirteen games are computed here, with the images of a package of Procgen; the library of
that package computes the others. The package is not imported; `envpool procgen fetch` brings it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from envpool import Compared, Finding, Prepared, Task, hookimpl

from . import _tasks

if TYPE_CHECKING:
    import typer


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Chooses the engine, and finds its files."""
    from ._prepare import prepare

    return prepare(task, options, build)


@hookimpl
def envpool_commands(app: typer.Typer) -> None:
    """`envpool procgen fetch`."""
    from ._command import add_commands

    add_commands(app)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the engine, its images, and the libraries that it needs."""
    from ._findings import findings

    yield from findings()
