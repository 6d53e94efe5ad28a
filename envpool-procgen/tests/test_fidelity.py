# SPDX-License-Identifier: Apache-2.0
"""Every task is played as the package's own environment plays it; more: tools/fidelity.py."""

from __future__ import annotations

import pytest
from alignment import SEEDS, align
from references import CASES, Case


@pytest.mark.parametrize(("number", "case"), [*enumerate(CASES)], ids=map(str, CASES))
def test_plays_as_the_package_does(number: int, case: Case) -> None:
    seed = SEEDS[number % len(SEEDS)]
    steps = 120
    result = align(case, steps, [seed], ["same_step", "next_step"])
    # No tolerance: both ask the same library, or compute the same.
    assert result.equal, result.differing
    assert {name.split()[0] for name in result.arrays} == {"observation", "reward", "ends", "infos"}


def test_a_difference_is_found() -> None:
    """The comparison can fail: other levels give other frames and infos."""
    case = Case("maze", "Easy")
    found = align(case, 5, [0], ["next_step"], num_levels=1)
    assert {"observation", "infos level_seed"} <= set(found.differing)
