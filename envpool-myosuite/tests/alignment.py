# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

import myosuite_reference
from envpool.testing.fidelity import Comparison
from references import Case

UNIT = "steps"
ENVS = 4
SEEDS = (5, 105, 205)


def align(case: Case, steps: int) -> Comparison:
    """The differences in so many steps of each of four environments, under three seeds each."""
    comparison = Comparison()
    # Short episodes for many starts, longer ones, and those of the task itself.
    limits = (max(8, steps // 8 - 1), max(8, steps // 3 - 1), None)
    for seed, limit in zip(SEEDS, limits, strict=True):
        myosuite_reference.compare(case.task_id, steps, ENVS, seed, limit, comparison=comparison)
    return comparison
