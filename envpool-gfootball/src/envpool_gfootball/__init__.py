# SPDX-License-Identifier: Apache-2.0
"""Google Research Football: the tasks that the wheel envpool-gfootball adds to EnvPool.

    env = envpool.make("gfootball/academy_empty_goal_close-v1", num_envs=64)
    obs, info = env.reset()

The compiled module ``envpool_gfootball._gfootball`` contains the engine of the package gfootball;
the engine's data lie beside it. A scenario is a Python program, the package's or your own, and is
run when a pool is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Finding, Prepared, Task, hookimpl

from ._tasks import tasks


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Runs the scenario."""
    from ._prepare import prepare

    return prepare(task, options)


@hookimpl
def envpool_findings() -> Iterator[Finding]:
    """Reports the engine's data, and whether a game plays."""
    from ._findings import findings

    yield from findings()
