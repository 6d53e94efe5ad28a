# SPDX-License-Identifier: Apache-2.0
"""What a pool of a task is made with: the folder of the models, the model of a maze, rewards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from envpool import Prepared, Task
from envpool_mujoco import family

from . import _mazes
from ._rewards import compute_reward

INSTALL = 'pip install "envpool-robotics[models]"'
# Kitchen's goals are seven arrays, and what counts depends on what was done before.
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


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """The options of the environment, and what the pool can compute beside it."""
    family.load_library()
    env = task.env.rpartition(":")[2]
    maze = env in ("PointMaze", "AntMaze")
    given = family.with_models(options, None if maze else assets)
    if maze:
        given = _mazes.prepare(task, given, assets)
    prepared = family.with_fields(family.with_pixels(Prepared(task.env, given)))
    if env not in _WITH_REWARD:
        return prepared
    known = {**_DEFAULTS[env], **task.defaults, **given}
    settings = {name: known[name] for name in _GOALS if name in known}
    return prepared._replace(methods={"compute_reward": partial(compute_reward, env, settings)})


# Of the compiled environments, as far as rewards depend on them.
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
