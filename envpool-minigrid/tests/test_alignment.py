# SPDX-License-Identifier: Apache-2.0
"""Every task gives, from the same seed, the levels and episodes of minigrid: bit for bit.

A few of each; `python tools/fidelity.py envpool-minigrid` compares 1,000 levels and 8,000 steps.
"""

from __future__ import annotations

import pytest
from alignment import align
from references import CASES, Case
from sampling import FULL


@pytest.mark.parametrize("case", CASES, ids=str)
def test_episodes_are_those_of_the_reference(case: Case) -> None:
    # No tolerance: levels and rules are whole numbers, and a reward is rounded once.
    assert align(case, case.steps if FULL else 24).differences == 0
