# SPDX-License-Identifier: Apache-2.0
"""NetHack: the nine tasks of nle and the 161 of MiniHack, which the wheel envpool-nethack adds.

The environments are in the compiled module `envpool_nethack._nethack`, which `envpool.make`
imports. The game is `libnethack.so` of the package nle, 1.2 or newer, which is not imported;
`envpool nethack fetch` brings it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from envpool import Compared, Finding, Prepared, Task, hookimpl

from . import _minihack_tasks, _tasks

if TYPE_CHECKING:
    import typer

__all__ = ["Loads", "loads"]


class Loads(NamedTuple):
    """How this process restored saved states.

    Attributes:
        memory: The number that was restored from memory, in the environment that saved them.
        keys: The number that was played again by seeds and keys.
    """

    memory: int
    keys: int


def loads() -> Loads:
    """Counts restored states: the difference of two calls tells how states were loaded."""
    from . import _nethack

    return Loads(*_nethack.loads())


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()
    yield from _minihack_tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds the game's library and makes its levels."""
    from ._prepare import prepare

    return prepare(task, options, build)


@hookimpl
def envpool_commands(app: typer.Typer) -> None:
    """`envpool nethack fetch` and `prepare`."""
    from ._command import add_commands

    add_commands(app)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the library, and whether it plays."""
    from ._findings import findings

    yield from findings()
