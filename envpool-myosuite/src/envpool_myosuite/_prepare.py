# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: finds the models, and reads a motion, sizes or a relief."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool_mujoco import family

from . import _motions, _relief, _sizes

INSTALL = "pip install --no-deps myosuite==2.12.2"


def assets() -> Path:
    """The folder of the installed myosuite. Its models lie in several subfolders.

    Raises:
        MissingPackageError: If it is not installed.
    """
    return family.assets_of("myosuite", "simhive", INSTALL).parent


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """The options of the environment."""
    given = family.with_models(options, assets)
    if task.env.endswith(":Track"):
        given = _motions.prepare(task, given)
    if task.env.endswith(":Reorient"):
        given = _sizes.prepare(task, given)
    if task.env.endswith(":ChaseTag"):
        given = _relief.prepare(task, given)
    return family.with_pixels(Prepared(task.env, given))
