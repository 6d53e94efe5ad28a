# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it: two ids, each observation."""

from __future__ import annotations

from typing import Any

import pytest
from envpool.testing import check_task
from envpool_gfootball import FAMILY
from sampling import sampled

IDS = [task.id for task in FAMILY.envpool_tasks()]
_LEFT, _RIGHT = (f"number_of_{side}_players_agent_controls" for side in ("left", "right"))


@pytest.mark.parametrize("task_id", sampled(IDS, 2, salt="contract"))
def test_contract(task_id: str) -> None:
    check_task(task_id, num_envs=2, steps=8)


@pytest.mark.parametrize(
    ("scenario", "options"),
    [
        ("5_vs_5", {"observation": "raw", _LEFT: 3, _RIGHT: 2, "action_set": "full"}),
        ("academy_3_vs_1_with_keeper", {"observation": "simple115v2", "stacked": True}),
        (
            "academy_3_vs_1_with_keeper",
            {"stacked": True, _LEFT: 3, "rewards": "scoring,checkpoints"},
        ),
    ],
    ids=str,
)
def test_contract_of_options(scenario: str, options: dict[str, Any]) -> None:
    check_task(f"gfootball/{scenario}-v1", num_envs=2, steps=8, **options)
