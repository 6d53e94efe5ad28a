# SPDX-License-Identifier: Apache-2.0
"""What is done before a pool is built: the limit of steps, and images as observations."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Prepared, Task, pixels

from ._tasks import LEVEL_OPTIONS

_OWN_LIMIT = 2**31 - 1


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """See the hook `envpool_prepare`."""
    given = dict(options)
    if "max_episode_steps" not in given and not LEVEL_OPTIONS.isdisjoint(given):
        # The id's limit is for a level of its size; another one has a limit of its own.
        given["max_episode_steps"] = _OWN_LIMIT
    return pixels.prepare(task, given, f"{task.env}Pixels")
