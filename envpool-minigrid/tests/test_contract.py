# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it: one id of each level."""

from __future__ import annotations

import pytest
from envpool import Task
from envpool.testing import check_task
from envpool_minigrid import FAMILY
from pictures import file_of
from sampling import FULL

TASKS: dict[str, Task] = {}
for task in FAMILY.envpool_tasks():
    level = str(task.defaults["env_name"])
    if level == "babyai_level_gen":
        level += str(task.defaults["instr_kinds"]) if "instr_kinds" in task.defaults else ""
    TASKS.setdefault(task.id if FULL else level, task)


def is_fixed(task_id: str) -> bool:
    """True if nothing in the level is drawn."""
    fixed = ("MiniGrid-Empty-", "MiniGrid-DistShift")
    return task_id.startswith(fixed) and "Random" not in task_id


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.id)
def test_contract(task: Task) -> None:
    options = {}
    if "wfc_preset" in task.defaults:
        options["pattern_path"] = str(file_of(str(task.defaults["wfc_preset"])))
    check_task(task.id, deterministic=is_fixed(task.id), **options)
