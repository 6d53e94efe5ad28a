# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

import myosuite_reference
from differences import Differences
from references import Case

UNIT = "steps"
ENVS = 4


def align(case: Case, steps: int) -> Differences:
    """What differs in so many steps of each of four environments."""
    # Shorter episodes, so that there are more starts.
    return myosuite_reference.compare(case.task_id, steps, ENVS, limit=max(8, steps // 8 - 1))
