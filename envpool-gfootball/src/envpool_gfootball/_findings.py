# SPDX-License-Identifier: Apache-2.0
"""The findings for `envpool doctor`: the engine's data, and whether a game can be played."""

from __future__ import annotations

from collections.abc import Iterator

import envpool
from envpool import Compared, Finding
from envpool.errors import EnvPoolError

from ._prepare import data_folder

__all__ = ["COMPARED", "findings"]

COMPARED: tuple[Compared, ...] = ()
"""No installed package: the reference's results are recorded, see tests/references.py."""
_TASK = "gfootball/academy_empty_goal_close-v1"


def findings() -> Iterator[Finding]:
    """Checks the files and plays a step."""
    try:
        folder = data_folder()
    except EnvPoolError as error:
        yield Finding("data", str(error), "problem", "run `pip install -U envpool-gfootball`")
        return
    count = sum(1 for _ in (folder / "media" / "animations").rglob("*.anim"))
    yield Finding("data", f"{count} animations in {folder}")
    try:
        with envpool.make(_TASK) as pool:
            pool.reset()
            pool.step([0])
    except EnvPoolError as error:
        yield Finding("game", str(error), "problem", "run `pip install -U envpool-gfootball`")
    else:
        yield Finding("game", "can be played")
