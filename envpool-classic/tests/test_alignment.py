# SPDX-License-Identifier: Apache-2.0
"""Every task gives, from the same seed, the episodes of its reference: bit for bit."""

from __future__ import annotations

import pytest
from alignment import align
from references import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=str)
def test_episodes_are_those_of_the_reference(case: Case) -> None:
    result = align(case, case.episodes)
    # No tolerance: both compute the same operations in the same order with the same libm.
    assert result.equal, result.differing


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Taxi-v4", "Blackjack-v1"])
@pytest.mark.parametrize("seed", [0, 1, 2**31 - 8])
def test_any_seed_is_gymnasiums(task_id: str, seed: int) -> None:
    case = next(case for case in CASES if case.task_id == task_id)
    result = align(case, episodes=20, seed=seed)
    assert result.equal, result.differing
