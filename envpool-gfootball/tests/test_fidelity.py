# SPDX-License-Identifier: Apache-2.0
"""The 18 ids of EnvPool 1.2.5 play as they do there; more steps: tools/fidelity.py."""

from __future__ import annotations

import functools
import sys
from typing import Any

import pytest
from alignment import align
from references import CASES, Case, played, recorded


@functools.cache
def _ours() -> dict[str, Any]:
    return played(sys.executable, [case.job(False) for case in CASES])


@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_plays_as_upstream_does(case: Case) -> None:
    found = _ours()["digests"][CASES.index(case)]
    # No tolerance: the engine is the same, and is compiled so that it rounds the same.
    assert found == recorded(case.job(False), _ours()["library"])


@pytest.mark.full
@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_plays_as_upstream_does_for_longer(case: Case) -> None:
    assert align(case, case.steps).equal


def test_a_difference_is_found() -> None:
    """Another seed, another length and another scenario have other digests."""
    task_id, seed, *_ = CASES[12].job(False)
    jobs = [[task_id, seed, 2, 20], [task_id, seed + 1, 2, 20], [task_id, seed, 2, 21]]
    jobs.append([CASES[11].task_id, seed, 2, 20])
    assert len(set(played(sys.executable, jobs)["digests"])) == len(jobs)
