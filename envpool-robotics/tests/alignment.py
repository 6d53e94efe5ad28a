# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

import robotics_reference
from references import IDS, Case

UNIT = "steps"
ENVS = 4


def align(case: Case, steps: int) -> robotics_reference.Differences:
    """What differs in so many steps of each of four environments."""
    limit = int(IDS[case.task_id][2])
    # Where episodes are long, shorter ones show more starts.
    shorter = {"max_episode_steps": 120} if limit > steps / 4 else {}
    return robotics_reference.compare(case.task_id, steps, ENVS, **shorter)
