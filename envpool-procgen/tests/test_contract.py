# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

from typing import Any

import envpool
import pytest
from envpool.errors import SavedStateError
from envpool.testing import CHECKS, check_task
from envpool_procgen import FAMILY
from sampling import sampled

_OF_STATES = {"check_save_and_load", "check_damaged_states"}
_IDS = [task.id for task in FAMILY.envpool_tasks()]
_EASY = [task_id for task_id in _IDS if "Easy" in task_id]  # each game once


@pytest.mark.parametrize("task_id", sampled(_IDS, 8, salt="contract", always=_EASY))
def test_contract(task_id: str) -> None:
    # All seeds of an exploration task play its one level.
    check_task(task_id, num_envs=2, steps=12, deterministic="Exploration" in task_id)


@pytest.mark.parametrize(
    "options",
    [
        {"max_episode_steps": 5},
        {"channel_first": False, "num_levels": 2, "start_level": 7},
        {"use_sequential_levels": True},
        {"use_monochrome_assets": True, "center_agent": False},
    ],
    ids=str,
)
def test_contract_of_options(options: dict[str, Any]) -> None:
    check_task("LeaperEasy-v0", num_envs=2, steps=12, **options)


def test_contract_of_generated_pictures() -> None:
    """With them the engine has no states: asking for a state is an error that says so."""
    without = [check for check in CHECKS if check.__name__ not in _OF_STATES]
    assert len(without) == len(CHECKS) - len(_OF_STATES)
    config = {"use_generated_assets": True}
    check_task("LeaperEasy-v0", num_envs=2, steps=12, checks=without, **config)
    with envpool.make("LeaperEasy-v0", num_envs=2, **config) as pool:
        pool.reset()
        with pytest.raises(SavedStateError, match="use_generated_assets"):
            pool.save_state()
