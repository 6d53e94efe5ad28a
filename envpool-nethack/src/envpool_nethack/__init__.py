# SPDX-License-Identifier: Apache-2.0
"""NetHack: the nine tasks of nle and the 161 of MiniHack, which the wheel envpool-nethack adds.

The environments are in the compiled module `envpool_nethack._nethack`, which `envpool.make`
imports. The game is `libnethack.so` of the package nle, 1.2 or newer, which is not imported;
`envpool nethack fetch` brings it.
"""

from __future__ import annotations

from typing import NamedTuple

from envpool import Family

from . import _minihack_tasks, _tasks

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


FAMILY = Family(
    lambda: [*_tasks.tasks(), *_minihack_tasks.tasks()],
    commands="envpool_nethack._command:add_commands",
    prepare="envpool_nethack._prepare:prepare",
    findings="envpool_nethack._findings:findings",
)
