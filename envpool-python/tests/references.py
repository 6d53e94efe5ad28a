# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's own environments, those whose packages are installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

import envpool_python

REFERENCE = f"SyncVectorEnv of gymnasium {version('gymnasium')}"


@dataclass(frozen=True)
class Case:
    """An id of Gymnasium."""

    id: str
    reference: str = REFERENCE
    steps: int = 1000

    def __str__(self) -> str:
        """The id of the task."""
        return f"python:{self.id}"


CASES = tuple(
    Case(task.id.removeprefix("python:")) for task in envpool_python.FAMILY.envpool_tasks()
)
