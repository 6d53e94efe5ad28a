# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tests and for tools/fidelity.py."""

from __future__ import annotations

import gymnasium_reference
from gymnasium_reference import Differences
from references import Case

UNIT = "steps"


def align(case: Case, steps: int) -> Differences:
    """What differs in so many steps of each of two environments."""
    return gymnasium_reference.compare(case.task_id, steps)
