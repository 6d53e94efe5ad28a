# SPDX-License-Identifier: Apache-2.0
"""The reference of this wheel's tasks, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

import numpy_rounding  # noqa: F401 (before NumPy)
from envpool_myosuite import FAMILY

STEPS = 240
"""Steps of a whole comparison, in each of four environments under each of three seeds."""


@dataclass(frozen=True)
class Case:
    """One task and its reference.

    Attributes:
        task_id: The task, as MyoSuite calls it.
        reference: The package and its version.
        steps: Steps of each environment.
    """

    task_id: str
    reference: str
    steps: int = STEPS

    def __str__(self) -> str:
        """The task's id."""
        return self.task_id


CASES = tuple(Case(task.id, f"myosuite {version('myosuite')}") for task in FAMILY.envpool_tasks())
