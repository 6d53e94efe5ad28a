# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: finds the models, makes a maze's model, sets the reward function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from envpool import Prepared, Task
from envpool_mujoco import family

from . import _mazes
from ._rewards import compute_reward

INSTALL = 'pip install "envpool-robotics[models]"'
# Not Kitchen: its goals are seven arrays, and its reward depends on earlier steps.
_WITH_REWARD = {"Fetch", "HandReach", "HandManipulate", "PointMaze", "AntMaze"}
_GOALS = (
    "reward_type",
    "distance_threshold",
    "rotation_threshold",
    "target_position",
    "ignore_z_target_rotation",
)


def assets() -> Path:
    """The folder of the models, in the installed gymnasium-robotics.

    Raises:
        MissingPackageError: If it is not installed.
    """
    return family.assets_of("gymnasium_robotics", "envs/assets", INSTALL)


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """The options of the environment, and the pool's methods beside it."""
    env = task.env.rpartition(":")[2]
    maze = env in ("PointMaze", "AntMaze")
    given = family.with_models(options, None if maze else assets)
    if maze:
        given = _mazes.prepare(task, given, assets)
    prepared = family.with_pixels(Prepared(task.env, given))
    if env not in _WITH_REWARD:
        return prepared
    known = {**_DEFAULTS[env], **task.defaults, **given}
    settings = {name: known[name] for name in _GOALS if name in known}
    return prepared._replace(methods={"compute_reward": partial(compute_reward, env, settings)})


# The compiled environments' defaults of options on which rewards depend.
_DEFAULTS: dict[str, dict[str, object]] = {
    "Fetch": {"distance_threshold": 0.05},
    "HandReach": {"distance_threshold": 0.01},
    "HandManipulate": {
        "distance_threshold": 0.01,
        "rotation_threshold": 0.1,
        "ignore_z_target_rotation": False,
    },
    "PointMaze": {},
    "AntMaze": {},
}
