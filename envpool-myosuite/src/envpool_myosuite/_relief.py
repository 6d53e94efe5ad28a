# SPDX-License-Identifier: Apache-2.0
"""The relief of a ground for tag: a picture in the installed myosuite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from envpool import Task
from envpool.errors import ConfigError
from envpool.files import check_file

FILE = "envs/myo/assets/myo_relief.npy"
SHAPE = (33, 33)


def prepare(task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the compiled environment, with the relief if the ground is uneven.

    Raises:
        ConfigError: If the file is not a picture of the needed size.
    """
    given = dict(options)
    terrain = given.get("terrain", task.defaults.get("terrain", "FLAT"))
    if terrain != "random" or "relief" in given:
        return given
    path = Path(str(given["base_path"]), FILE)
    call = f"make({task.id!r}, terrain={terrain!r})"
    check_file(call, path)
    hint = "Install it again: `pip install --no-deps --force-reinstall myosuite==2.12.2`"
    wanted = f"the file of myosuite 2.12.2, {SHAPE[0]} x {SHAPE[1]} numbers"
    try:
        heights = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ConfigError(call, f"{path}: {error}", wanted, hint) from error
    if not isinstance(heights, np.ndarray) or heights.shape != SHAPE:
        raise ConfigError(call, f"{path}: {type(heights).__name__} of another shape", wanted, hint)
    return {**given, "relief": heights.astype(np.float64).ravel().tolist()}
