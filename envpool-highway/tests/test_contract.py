# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import check_task
from envpool_highway import envpool_tasks

# Their start is the same in every episode, but for noise that is small.
_FIXED: frozenset[str] = frozenset()


@pytest.mark.parametrize("task_id", [task.id for task in envpool_tasks()])
def test_contract(task_id: str) -> None:
    check_task(task_id, deterministic=task_id in _FIXED)
