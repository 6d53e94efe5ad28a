# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

from typing import Any

import pytest
from envpool.testing import check_task
from envpool_nethack import FAMILY
from sampling import sampled

_IDS = [task.id for task in FAMILY.envpool_tasks()]
_FEW = {"num_levels": 20}
_MADE_HERE = {task.id for task in FAMILY.envpool_tasks() if "num_levels" in task.defaults}


@pytest.mark.parametrize(
    "task_id",
    sampled(
        _IDS,
        4,
        salt="contract",
        always=[
            *("NetHackScore-v0", "NetHackChallenge-v0", "MiniHack-Room-5x5-v0"),
            *("MiniHack-Pray-v0", "MiniHack-KeyRoom-S5-v0", "MiniHack-Boxoban-Medium-v0"),
        ],
    ),
)
def test_contract(task_id: str) -> None:
    options = _FEW if task_id in _MADE_HERE else {}
    check_task(task_id, num_envs=2, steps=10, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_episode_steps": 5, "last_frame": "package"},
        {"observation_keys": ["tty_chars", "inv_strs"], "lgen": 3, "character": "@"},
        {"options": ["time"], "penalty_mode": "exp", "actions": [107, 46]},
    ],
    ids=str,
)
def test_contract_of_options(options: dict[str, Any]) -> None:
    check_task("NetHackScore-v0", num_envs=2, steps=10, **options)
