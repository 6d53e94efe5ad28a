# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import check_task
from envpool_gallery import envpool_tasks


# Hall-v0 is deprecated on purpose.
@pytest.mark.filterwarnings("ignore:task 'Gallery/Hall-v0':DeprecationWarning")
@pytest.mark.parametrize("task_id", [name for task in envpool_tasks() for name in task.names])
def test_contract(task_id: str) -> None:
    check_task(task_id)
