# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: chooses the compiled environment, and loads the characters of frames."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from envpool import Prepared, Task

from ._glyphs import install_once
from ._tasks import MODULE

# Gymnasium warns of values outside (least, most).
_RECOMMENDED = {"wind_power": (0.0, 20.0), "turbulence_power": (0.0, 2.0)}


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """See the hook `envpool_prepare`."""
    name = task.env.rpartition(":")[2]
    given = dict(options)
    if name.startswith("LunarLander"):
        if build:
            _warn(task, given)
        if given.get("render_mode") is not None:
            given.setdefault("particles", True)
        continuous = given.get("continuous", task.options["continuous"])
        name = "LunarLanderContinuous" if continuous else "LunarLander"
    elif name == "CarRacing":
        if build and given.get("score_text", True):
            install_once(task.id)
        name = "CarRacing" if given.get("continuous", True) else "CarRacingDiscrete"
    return Prepared(f"{MODULE}:{name}", given)


def _warn(task: Task, options: Mapping[str, object]) -> None:
    for name, (least, most) in _RECOMMENDED.items():
        value = options.get(name, least)
        if isinstance(value, (int, float)) and not least <= value <= most:
            warnings.warn(
                f"make({task.id!r}, {name}={value}): {least} to {most} is recommended",
                stacklevel=2,
            )
