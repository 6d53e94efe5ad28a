# SPDX-License-Identifier: Apache-2.0
"""What a pool of a task is made with: the folder of the models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool_mujoco import family

INSTALL = "pip install --no-deps myosuite==2.12.2"


def assets() -> Path:
    """The folder of the installed myosuite, whose models lie in several folders.

    Raises:
        MissingPackageError: If it is not installed.
    """
    return family.assets_of("myosuite", "simhive", INSTALL).parent


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """The options of the environment."""
    family.load_library()
    given = dict(options)
    if isinstance(file := given.get("xml_file"), str | os.PathLike):
        # Not by Path, which drops the "./" that makes a name a path.
        given["xml_file"] = os.path.expanduser(os.fspath(file))  # noqa: PTH111
    if not given.get("base_path"):
        given["base_path"] = str(assets())
    return family.with_pixels(Prepared(task.env, given))
