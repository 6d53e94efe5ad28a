# SPDX-License-Identifier: Apache-2.0
"""Every task gives, from the same seed, the episodes of Gymnasium: bit for bit.

The test plays a sample; `python tools/fidelity.py envpool-box2d` plays 2,000 steps of each.
"""

from __future__ import annotations

import pytest
from alignment import align
from references import CASES, Case

pytestmark = pytest.mark.needs_box2d


@pytest.mark.parametrize("case", [case for case in CASES if not case.theirs], ids=str)
def test_episodes_are_those_of_the_reference(case: Case) -> None:
    # Enough for each environment of LunarLander to crash, or land, and begin anew. Gymnasium takes
    # 5 to 20 ms for a frame, which is CarRacing's observation.
    if case.frames or "CarRacing" in case.task_id:
        result = align(case, 60, num_envs=1)
    else:
        result = align(case, 400 if "LunarLander" in case.task_id else 120, num_envs=2)
    # No tolerance: both compute the same operations in the same order.
    assert result.equal, result.differing
    assert "pixels" in result.arrays or not case.frames


@pytest.mark.parametrize("case", [case for case in CASES if case.theirs], ids=str)
def test_what_differs_shows(case: Case) -> None:
    """The comparison is sensitive: a change of 0.0001 m/s^2 shows in the first observation."""
    result = align(case, case.steps if "wind" in str(case) else 0, num_envs=1)
    assert "observation" in result.differing
