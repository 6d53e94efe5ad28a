# SPDX-License-Identifier: Apache-2.0
"""The reference of this wheel's tasks, task by task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy_rounding  # noqa: F401 (before NumPy)

STEPS = 500
"""Steps of a whole comparison, in each of four environments."""
IDS: dict[str, list[str | int]] = json.loads(Path(__file__).with_name("ids.json").read_text())[
    "ids"
]
"""Ids of EnvPool and of the reference: the id that is compared, group, time limit, reward."""


@dataclass(frozen=True)
class Case:
    """One task and its reference.

    Attributes:
        task_id: The task.
        reference: The package and its version.
        group: Its group in ids.json.
        steps: Steps of each environment; a time limit is reached at least once.
    """

    task_id: str
    reference: str
    group: str
    steps: int = STEPS

    def __str__(self) -> str:
        """The task's id."""
        return self.task_id


def _cases() -> Iterator[Case]:
    reference = f"gymnasium-robotics {version('gymnasium-robotics')}"
    for task_id, (same_as, group, _, _) in IDS.items():
        if task_id == same_as:
            yield Case(task_id, reference, str(group))


CASES = tuple(_cases())
