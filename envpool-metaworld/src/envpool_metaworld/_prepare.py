# SPDX-License-Identifier: Apache-2.0
"""The options of a task's pool: the folder of the models, and names of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool_mujoco import family

from ._tasks import reference_name

INSTALL = 'pip install "envpool-metaworld[models]"'


def assets() -> Path:
    """The folder of the models, in the installed metaworld.

    Raises:
        MissingPackageError: If it is not installed.
    """
    return family.assets_of("metaworld", "assets", INSTALL)


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """The options of the environment."""
    given = family.with_models(options, assets)
    names = given.get("task_names")
    if isinstance(names, list | tuple):
        given["task_names"] = [reference_name(n) if isinstance(n, str) else n for n in names]
    return family.with_pixels(Prepared(task.env, given))
