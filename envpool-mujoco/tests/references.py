# SPDX-License-Identifier: Apache-2.0
"""What the tasks of this wheel are compared with: the reference, task by task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

STEPS = 1000
"""Steps of a whole comparison, in each of a few environments."""
_ROBOTS = (
    "Ant",
    "HalfCheetah",
    "Hopper",
    "Humanoid",
    "HumanoidStandup",
    "InvertedDoublePendulum",
    "InvertedPendulum",
    "Pusher",
    "Reacher",
    "Swimmer",
    "Walker2d",
)


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
    for robot in _ROBOTS:
        for version in (5, 4):
            yield Case(f"{robot}-v{version}", "gymnasium")


CASES = tuple(_cases())
