# SPDX-License-Identifier: Apache-2.0
"""Gymnasium-Robotics' tasks: Fetch, the Shadow hand, Adroit, mazes and the Franka kitchen.

The environments are in the compiled module `envpool_robotics._robotics`, which `envpool.make`
imports. They simulate with what envpool-mujoco has, and read the models of the installed
gymnasium-robotics. Environment i under seed s gives the episodes that `gymnasium.make` gives after
`reset(seed=s + i)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envpool import Compared, Finding, Prepared, Task, hookimpl
from envpool_mujoco import family

from . import _prepare, _tasks
from ._rewards import compute_reward

__all__ = ["compute_reward"]

family.check_cpu()


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield from _tasks.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Finds the models, and makes the model of a maze."""
    return _prepare.prepare(task, options)


@hookimpl
def envpool_findings() -> Iterator[Finding | Compared]:
    """Reports the models, the renderer, and the packages with which the tasks were compared."""
    from ._findings import findings

    yield from findings()
