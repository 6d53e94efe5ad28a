# SPDX-License-Identifier: Apache-2.0
"""A task beside its reference, for tools/fidelity.py."""

from __future__ import annotations

import metaworld_reference
from envpool.testing.fidelity import Comparison
from references import Case

UNIT = "steps"
ENVS = 4


def align(case: Case, steps: int) -> Comparison:
    """The differences in so many steps of each of four environments."""
    # Long enough for the scripted policies to succeed, and for three resets.
    return metaworld_reference.compare(case.name, steps, ENVS, limit=max(8, steps // 4 - 5))
