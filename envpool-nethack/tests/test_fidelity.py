# SPDX-License-Identifier: Apache-2.0
"""Every task is played as nle plays it; more: tools/fidelity.py."""

from __future__ import annotations

import pytest
from alignment import ENDS, align
from references import CASES, Case
from sampling import FULL, sampled

_SCRIPTS = [case for case in CASES if case.script]
_MINIHACK = [case for case in CASES if case.is_minihack and not case.script]
_PLAYED = [
    *(case for case in CASES if not case.is_minihack),
    *sampled(_MINIHACK, 16, salt="minihack"),
]


@pytest.mark.parametrize("case", _PLAYED, ids=str)
def test_plays_as_the_package_does(case: Case) -> None:
    steps = case.steps if FULL else 60 if case.is_minihack else 150
    found = align(case, steps, num_envs=None if FULL else 1 if case.is_minihack else 2)
    # No tolerance: both ask the same library, and rewards are the same sums of doubles.
    assert found.equal, found.differing
    assert found.counts["steps"] > 0


@pytest.mark.parametrize("case", _SCRIPTS, ids=str)
def test_events_that_are_made_to_happen(case: Case) -> None:
    found = align(case, case.steps)
    assert found.equal, found.differing
    assert case.needs is not None
    assert found.counts[ENDS[case.needs]] > 0


def test_the_systems_copies_play_the_same() -> None:
    found = align(Case("NetHackScore-v0"), 150, num_envs=1, loader="dlopen")
    assert found.equal, found.differing


def test_a_difference_is_found() -> None:
    """The comparison can fail: other monsters, other penalties and other limits are seen."""
    case = Case("NetHackScore-v0")
    found = align(case, 60, num_envs=1, penalty_step=-0.5, character="val", max_episode_steps=30)
    assert {name.split()[0] for name in found.differing} == {"observation", "reward", "ends"}
