# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

import robotics_reference
from envpool.testing.fidelity import Comparison
from references import IDS, Case

UNIT = "steps"
ENVS = 4


def align(case: Case, steps: int) -> Comparison:
    """The differences in so many steps of each of four environments."""
    # For tasks with long episodes, a time limit gives more starts.
    shown = max(8, steps // 4 - 5)
    shorter = {"max_episode_steps": shown} if int(IDS[case.task_id][2]) > shown else {}
    return robotics_reference.compare(case.task_id, steps, ENVS, **shorter)
