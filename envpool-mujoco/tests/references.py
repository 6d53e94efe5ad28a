# SPDX-License-Identifier: Apache-2.0
"""The reference of this wheel's tasks, task by task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

import numpy_rounding  # noqa: F401 (before NumPy)
from envpool_mujoco import _dm_control
from locomotion_reference import LOCOMOTION, SOCCER
from robots import ROBOTS

GYMNASIUM = "gymnasium"
DM_CONTROL = "dm_control"

STEPS = 1000
"""Steps of a whole comparison, in each of a few environments."""


@dataclass(frozen=True)
class Case:
    """One task and its reference."""

    task_id: str
    reference: str
    steps: int = STEPS

    def __str__(self) -> str:
        """The task's id."""
        return self.task_id


def _cases() -> Iterator[Case]:
    for robot in ROBOTS:
        for rules in (5, 4):
            yield Case(f"{robot}-v{rules}", f"{GYMNASIUM} {version(GYMNASIUM)}")
    for task_id in _dm_control.TASKS:
        yield Case(task_id, f"{DM_CONTROL} {version(DM_CONTROL)}")
    for task_id in (*LOCOMOTION, *SOCCER):
        # Steps of the reference take 10 to 40 ms, and most episodes are short.
        yield Case(task_id, f"{DM_CONTROL} {version(DM_CONTROL)}", 300)


CASES = tuple(_cases())
