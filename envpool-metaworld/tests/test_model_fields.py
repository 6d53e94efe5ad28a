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
from sampling import FULL

STEPS = 2000 if FULL else 60
DRAWS: dict[str, Any] = {
    "body_mass": ("scale", 0.8, 1.2),
    "geom_friction": ("scale", 0.5, 1.5),
    "dof_damping": ("scale", 0.5, 2.0),
}


def test_rollouts_equal_a_whole_changed_model() -> None:
    with envpool.make("MetaWorld/reach-v3", num_envs=2, randomize=DRAWS) as pool:
        pool.reset()
        folder = Path(pool.config["base_path"]) / "sawyer_xyz"
        model = mujoco.MjModel.from_xml_path(str(folder / "sawyer_reach_v3.xml"))
        names = [*DRAWS, "body_inertia", "eq_data"]
        check_rollouts(pool, model, names, STEPS, ["body_pos", "site_pos"])


def test_starts_are_those_without_the_option() -> None:
    found = []
    for options in ({}, {"randomize": DRAWS}):
        with envpool.make("MetaWorld/MT10", num_envs=10, seed=3, **options) as pool:
            found.append(pool.reset()[0])
    assert np.array_equal(*found)


def test_infos_have_one_shape() -> None:
    with envpool.make("MetaWorld/MT10", num_envs=10, model_info=["opt.gravity"]) as pool:
        assert pool.reset()[1]["model"]["opt"]["gravity"].shape == (10, 3)
    with pytest.raises(ConfigError, match="another shape"):
        envpool.make("MetaWorld/MT10", num_envs=10, model_info=["body_mass"])
