# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import check_task
from envpool_crane import FAMILY


@pytest.mark.parametrize("task_id", [n for task in FAMILY.envpool_tasks() for n in task.names])
def test_contract(task_id: str) -> None:
    check_task(task_id)
