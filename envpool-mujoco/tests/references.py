# SPDX-License-Identifier: Apache-2.0
"""What the tasks of this wheel are compared with: the reference, task by task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version

import envpool

GYMNASIUM = "gymnasium"
DM_CONTROL = "dm_control"

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
        for rules in (5, 4):
            yield Case(f"{robot}-v{rules}", f"{GYMNASIUM} {version(GYMNASIUM)}")
    for task_id in envpool.list_all_envs():
        domain = envpool.registration.registry.task(task_id).defaults.get("domain")
        if domain is not None:
            yield Case(task_id, f"{DM_CONTROL} {version(DM_CONTROL)}")


CASES = tuple(_cases())
