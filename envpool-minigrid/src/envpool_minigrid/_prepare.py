# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: sets the step limit, reads pictures, converts images as observations."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Prepared, Task, pixels

from ._pictures import missing, numbers_of
from ._tasks import LEVEL_OPTIONS, MODULE

_OWN_LIMIT = 2**31 - 1


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """See the hook `envpool_prepare`."""
    given = dict(options)
    if "max_episode_steps" not in given and not LEVEL_OPTIONS.isdisjoint(given):
        # The id's limit is for a level of its size; a level of another size has its own limit.
        given["max_episode_steps"] = _OWN_LIMIT
    path = given.get("pattern_path")
    if path:
        given["wfc_picture"] = numbers_of(task, path)
    lacking = "pattern_path" in task.options and not given.get("wfc_picture")
    if lacking and build:
        raise missing(task)
    prepared = pixels.prepare(task, given, f"{MODULE}:MiniGridPixels")
    return prepared._replace(notes={"needs": "pattern_path"}) if lacking else prepared
