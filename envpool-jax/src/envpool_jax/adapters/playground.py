# SPDX-License-Identifier: Apache-2.0
"""MuJoCo Playground. Every reset draws a new state; the limit is the configuration's.

Tasks of locomotion and manipulation download robot models when they are first made. `env_kwargs`
override values of the configuration, as `{"episode_length": 500}`. MJX computes in JAX: the states
of Warp, the library's default, have arrays that belong to no environment.
"""

from __future__ import annotations

import importlib
from typing import Any

from ._library import lister, require
from .brax import BraxEnv

# The tasks of playground 0.2 that need no download.
TASKS = [
    "AcrobotSwingup",
    "AcrobotSwingupSparse",
    "BallInCup",
    "CartpoleBalance",
    "CartpoleBalanceSparse",
    "CartpoleSwingup",
    "CartpoleSwingupSparse",
    "CheetahRun",
    "FingerSpin",
    "FingerTurnEasy",
    "FingerTurnHard",
    "FishSwim",
    "HopperHop",
    "HopperStand",
    "HumanoidStand",
    "HumanoidWalk",
    "HumanoidRun",
    "PendulumSwingup",
    "PointMass",
    "ReacherEasy",
    "ReacherHard",
    "SwimmerSwimmer6",
    "WalkerRun",
    "WalkerStand",
    "WalkerWalk",
]


list_tasks = lister("mujoco_playground", TASKS)


def load(task: str, **env_kwargs: Any) -> BraxEnv:
    """The environment of `mujoco_playground.registry.load`."""
    registry: Any = importlib.import_module("mujoco_playground").registry
    require(task, registry.ALL_ENVS, "registry.ALL_ENVS")
    config = registry.get_default_config(task)
    if "impl" in config:
        config.impl = "jax"
    for key in env_kwargs:
        if key not in config:
            raise TypeError(f"{key!r} is not in its configuration: {', '.join(config)}")
    config.update(env_kwargs)
    return BraxEnv(registry.load(task, config=config), int(config.episode_length))
