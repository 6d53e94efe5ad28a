# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it.

Tasks of a group share an environment: one of each group gets all checks, and the others only the
checks of a task's own data; by default fewer.
"""

from __future__ import annotations

from typing import Any

import pytest
from contracts import checks_of
from envpool.testing import check_task
from envpool_robotics import FAMILY

SMALL: dict[str, Any] = {"render_width": 24, "render_height": 24, "render_quality": "fast"}
WHOLE = (
    *("FetchPickAndPlace-v4", "HandReach-v3", "HandManipulatePen_BooleanTouchSensors-v1"),
    *("AdroitHandRelocate-v1", "PointMaze_UMaze-v3", "AntMaze_UMaze-v5", "FrankaKitchen-v1"),
)
IDS = [task.id for task in FAMILY.envpool_tasks()]


@pytest.mark.parametrize("task_id", IDS)
def test_contract(task_id: str) -> None:
    check_task(task_id, num_envs=2, steps=8, checks=checks_of(task_id in WHOLE), **SMALL)


def test_contract_of_images() -> None:
    # A maze has no meshes, so its frames are quick to draw.
    task_id = "PointMaze_UMaze-v3"
    check_task(task_id, num_envs=2, steps=8, from_pixels=True, max_episode_steps=6, **SMALL)
