# SPDX-License-Identifier: Apache-2.0
"""Games equal those of EnvPool 1.2.5 and of the package; tools/fidelity.py plays more steps."""

from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any

import pytest
from alignment import align
from matches import Job
from references import CASES, PACKAGE, Case, by_package, of, played, recorded


@functools.cache
def _ours(reference: str) -> dict[str, Any]:
    cases = of(reference)
    return played(sys.executable, cases[0].program, [case.job(False) for case in cases])


@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_plays_as_the_reference_does(case: Case) -> None:
    ours = _ours(case.reference)
    found = ours["digests"][of(case.reference).index(case)]
    # No tolerance: the engine is the same, and is compiled for the same rounding.
    assert found == recorded(case.reference, case.job(False), ours["library"])


@pytest.mark.full
@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_plays_as_the_reference_does_for_longer(case: Case) -> None:
    assert align(case, case.steps).equal


@pytest.mark.full
def test_what_was_recorded_is_what_the_package_plays() -> None:
    """The package is built here from its sources, with Debian's Boost and SDL."""
    jobs = [case.job(False) for case in of(PACKAGE)]
    result = by_package(jobs)
    assert result["digests"] == [recorded(PACKAGE, job, result["library"]) for job in jobs]


def test_a_difference_from_upstream_is_found() -> None:
    """Another seed, another length and another scenario have other digests."""
    task_id, other = "gfootball/academy_empty_goal_close-v1", "gfootball/academy_empty_goal-v1"
    jobs = [[task_id, 15, 2, 20], [task_id, 16, 2, 20], [task_id, 15, 2, 21], [other, 15, 2, 20]]
    assert len(set(played(sys.executable, ("playing.py",), jobs)["digests"])) == len(jobs)


def test_a_difference_from_the_package_is_found() -> None:
    """Every field of a job has an effect on its digest."""
    job = Job("academy_3_vs_1_with_keeper", 1, 30, (2, 1), rewards="scoring,checkpoints")
    changes: list[dict[str, Any]] = [{}, {"seed": 2}, {"steps": 31}, {"agents": (1, 2)}]
    changes += [{"observation": "smm"}, {"rewards": "scoring"}, {"action_set": "full"}]
    changes.append({"scenario": "academy_empty_goal_close", "agents": (1, 1)})
    jobs = [dataclasses.asdict(dataclasses.replace(job, **change)) for change in changes]
    assert len(set(played(sys.executable, ("matches.py", "pool"), jobs)["digests"])) == len(jobs)
