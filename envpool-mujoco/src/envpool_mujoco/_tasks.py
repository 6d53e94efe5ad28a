# SPDX-License-Identifier: Apache-2.0
"""All tasks of this wheel."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Task

from . import _dm_control, _gymnasium, _own_model, _soccer

__all__ = ["tasks"]


def tasks() -> Iterator[Task]:
    """Gymnasium's tasks, the task with the user's model, and those of dm_control."""
    yield from _gymnasium.tasks()
    yield _own_model.TASK
    yield from _dm_control.tasks()
    yield from _soccer.tasks()
