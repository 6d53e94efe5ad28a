# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import check_task
from references import CASES

# These tasks draw no random number: the start is fixed and every move succeeds.
_DETERMINISTIC = {"CliffWalking-v0", "CliffWalking-v1", "tabular/CliffWalking-v0"}


@pytest.mark.parametrize("task_id", sorted({case.task_id for case in CASES}))
def test_contract(task_id: str) -> None:
    check_task(task_id, deterministic=task_id in _DETERMINISTIC)
