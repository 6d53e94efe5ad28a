# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import check_task
from envpool_meadow import FAMILY


@pytest.mark.parametrize("task_id", [n for task in FAMILY.envpool_tasks() for n in task.names])
def test_contract(task_id: str) -> None:
    check_task(task_id)


def test_contract_of_another_number_of_players() -> None:
    check_task("Meadow/Tag-v0", num_foxes=5, num_hares=6, max_num_players=11, num_rays=7)
