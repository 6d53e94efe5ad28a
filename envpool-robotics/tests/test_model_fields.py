# SPDX-License-Identifier: Apache-2.0
"""Fields of the model that differ between environments, beside whole models that MuJoCo steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import envpool
import mujoco
import numpy as np
import pytest
from changed_models import check_rollouts
from envpool.errors import ConfigError
from sampling import FULL, sampled

STEPS = 2000 if FULL else 60
DRAWS: dict[str, Any] = {
    "body_mass": ("scale", 0.8, 1.2),
    "geom_friction": ("scale", 0.5, 1.5),
    "dof_damping": ("scale", 0.5, 2.0),
}
TASKS = [
    "FetchReach-v4",
    "FetchPickAndPlace-v4",
    "HandReach-v3",
    "HandManipulateBlock-v1",
    "AdroitHandDoor-v1",
    "FrankaKitchen-v1",
]


@pytest.mark.parametrize("task_id", sampled(TASKS, 2, salt="whole changed models"))
def test_rollouts_equal_a_whole_changed_model(task_id: str) -> None:
    with envpool.make(task_id, num_envs=2, randomize=DRAWS) as pool:
        pool.reset()
        path = Path(pool.config["base_path"]) / pool.config["xml_file"]
        model = mujoco.MjModel.from_xml_path(str(path))
        # The reference changes welds, and gains of Adroit's hand, when it loads a model.
        names = [*DRAWS, "body_inertia", "eq_data", "actuator_gainprm", "actuator_biasprm"]
        placed = ["body_pos", "body_quat", "site_pos"]
        check_rollouts(pool, model, names, STEPS, placed)


@pytest.mark.parametrize("task_id", ["FetchPush-v4", "AntMaze_UMaze-v5", "PointMaze_UMaze-v3"])
def test_starts_are_those_without_the_option(task_id: str) -> None:
    found = []
    for options in ({}, {"randomize": DRAWS, "model_info": ["body_mass"]}):
        with envpool.make(task_id, num_envs=2, seed=3, **options) as pool:
            pool.reset()
            found.append(pool.physics_states())
    assert np.array_equal(*found)


def test_reset_options_beside_those_of_the_task() -> None:
    with envpool.make("PointMaze_UMaze-v3", num_envs=2) as pool:
        own = pool.model_fields("body_mass")[0]
        options = {"model_fields": {"body_mass": own * 2}, "goal_cell": [1, 1]}
        pool.reset(options=options)
        assert np.array_equal(pool.model_fields("body_mass"), [own * 2] * 2)
        pool.reset()
        assert np.array_equal(pool.model_fields("body_mass"), [own] * 2)


def test_places_of_geoms_are_refused_beside_meshes() -> None:
    with pytest.raises(ConfigError, match="meshes"):
        envpool.make("FetchReach-v4", randomize={"geom_size": ("scale", 1, 2)})
