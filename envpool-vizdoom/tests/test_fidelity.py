# SPDX-License-Identifier: Apache-2.0
"""Every scenario is played as ViZDoom's own client plays it; longer games: tools/fidelity.py."""

from __future__ import annotations

import pytest
from alignment import align
from references import CASES, Case

STEPS = 80


@pytest.mark.parametrize("case", CASES, ids=str)
def test_plays_as_the_reference_does(case: Case) -> None:
    found = align(case, STEPS)
    assert found.equal, found.differing
    assert {name.split()[0] for name in found.arrays} >= {"observation", "reward", "ends"}
