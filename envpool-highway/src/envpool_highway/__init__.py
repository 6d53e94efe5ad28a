# SPDX-License-Identifier: Apache-2.0
"""highway-env: the tasks that the wheel envpool-highway adds to EnvPool.

    env = envpool.make("highway-v0", num_envs=64)
    obs, info = env.reset()

The roads and their traffic are in the compiled module ``envpool_highway._highway``, which
``envpool.make`` imports. They are highway-env's; env i under seed s plays the episodes that
``gymnasium.make`` plays after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Prepared, Task, hookimpl

from ._prepare import prepare
from ._tasks import tasks


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
    """Converts options from highway-env's configuration, and images as observations."""
    return prepare(task, options)


@hookimpl
def envpool_findings() -> Iterator[Compared]:
    """The packages, with versions, with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
