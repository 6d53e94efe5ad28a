# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: finds the task's model and its compiled environment."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Prepared, Task

from . import _dm_control, _gymnasium, _own_model, _soccer
from .family import with_fields, with_pixels

__all__ = ["prepare"]


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """By the kind of the task."""
    if task is _own_model.TASK:
        return with_fields(_own_model.prepare(task, options))
    if task.env == _soccer.ENV:
        return with_fields(_soccer.prepare(task, options))
    if task.env == _dm_control.ENV:
        return with_fields(with_pixels(_dm_control.prepare(task, options)))
    return with_fields(with_pixels(_gymnasium.prepare(task, options)))
