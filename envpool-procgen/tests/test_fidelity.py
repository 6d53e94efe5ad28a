# SPDX-License-Identifier: Apache-2.0
"""Every task is played as the package's own environment plays it; more: tools/fidelity.py."""

from __future__ import annotations

import pytest
from alignment import SEEDS, align
from envpool_procgen import _procgen
from references import CASES, Case

_EQUAL = {"frames", "rewards", "ends", "infos"}


@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(case) for case in CASES])
@pytest.mark.parametrize("engine", ["libenv", "auto"])
def test_plays_as_the_package_does(number: int, engine: str) -> None:
    case, seed = CASES[number], SEEDS[number % len(SEEDS)]
    if engine == "auto" and case.game not in _procgen.own_games():
        return  # the library again
    found = align(case, 80, [seed], ["same_step", "next_step"], engine=engine)
    texts = found.columns()
    # No tolerance: both ask the same library, or compute the same.
    assert {name: texts[name] for name in _EQUAL} == dict.fromkeys(_EQUAL, "equal")


def test_a_difference_is_found() -> None:
    """The comparison can fail: other levels give other frames and infos."""
    case = Case("maze", "Easy")
    found = align(case, 5, [0], ["next_step"], num_levels=1)
    assert found.frames.count > 0
    assert found.infos.count > 0
