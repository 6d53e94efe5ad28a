# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it: one id of each road."""

from __future__ import annotations

import pytest
from envpool import Task
from envpool.testing import check_task
from envpool_highway import FAMILY
from sampling import FULL

TASKS: dict[str, Task] = {}
for task in FAMILY.envpool_tasks():
    road = f"{task.defaults['scenario']} {task.defaults.get('multi_agent', False)}"
    TASKS.setdefault(task.id if FULL else road, task)


@pytest.mark.parametrize("task_id", [task.id for task in TASKS.values()])
def test_contract(task_id: str) -> None:
    check_task(task_id)
