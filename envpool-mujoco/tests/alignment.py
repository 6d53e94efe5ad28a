# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

from typing import Protocol

import dm_control_reference
import gymnasium_reference
from locomotion_reference import LOCOMOTION, SOCCER
from references import DM_CONTROL, Case

UNIT = "steps"
ENVS = 2
LOCOMOTION_ENVS = 4


class Aligned(Protocol):
    """Differences, as columns of a table."""

    def columns(self) -> dict[str, str]:
        """Names and contents of the columns."""


class _OfSuite:
    def __init__(self, task_id: str, steps: int) -> None:
        self._steps = steps
        self._envs = LOCOMOTION_ENVS if task_id in {*LOCOMOTION, *SOCCER} else ENVS
        self._arrays = dm_control_reference.compare([task_id], steps, self._envs)[task_id]

    def columns(self) -> dict[str, str]:
        others = {"reward", "discount"}
        names = {"observation": set(self._arrays) - others, "reward": {"reward"}}
        names["ends"] = {"discount"}
        texts = {"episodes": str(3 * self._envs), "steps": str(self._steps * self._envs)}
        for column, wanted in names.items():
            worst = max(self._arrays[name].largest for name in wanted)
            differing = any(self._arrays[name].differing for name in wanted)
            texts[column] = f"within {worst:.1g}" if differing else "equal"
        return texts | {"infos": "none"}


def align(case: Case, steps: int) -> Aligned:
    """The differences in so many steps of each of two environments."""
    if case.reference.startswith(DM_CONTROL):
        return _OfSuite(case.task_id, steps)
    return gymnasium_reference.compare(case.task_id, steps, ENVS)
