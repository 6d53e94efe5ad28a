# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it.

All tasks are one environment: a few are checked whole, and all others by what a task itself can get
wrong; by default by less.
"""

from __future__ import annotations

from typing import Any

import pytest
from contracts import checks_of
from envpool.testing import check_task
from envpool_metaworld import BENCHMARKS, FAMILY
from sampling import FULL

SMALL: dict[str, Any] = {"render_width": 24, "render_height": 24, "render_quality": "fast"}
WHOLE = ("MetaWorld/PickPlace-v3", "MetaWorld/WindowClose-v3", "MetaWorld/LeverPull-v3")
IDS = [task.id for task in FAMILY.envpool_tasks()]
MIXED = tuple(f"MetaWorld/{name}" for name in BENCHMARKS)


@pytest.mark.parametrize("task_id", IDS)
def test_contract(task_id: str) -> None:
    checks = checks_of(task_id in WHOLE)
    if task_id in MIXED:  # an environment refuses the state of another task: test_tasks.py has it
        checks = [check for check in checks if check.__name__ != "check_save_and_load"]
    check_task(task_id, num_envs=2, steps=8, checks=checks, **SMALL)


def test_contract_of_images() -> None:
    # A frame of the arm takes longer than a hundred steps.
    small = {"from_pixels": True, "max_episode_steps": 3, **SMALL}
    checks = checks_of(whole=FULL)
    check_task("MetaWorld/Reach-v3", num_envs=2, steps=4, checks=checks, **small)
