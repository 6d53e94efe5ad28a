# SPDX-License-Identifier: Apache-2.0
"""MuJoCo tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from envpool import Prepared, Task, hookimpl

from . import _dm_control


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    for name in ("Ant", "HalfCheetah"):
        for version in (4, 5):
            yield Task(f"{name}-v{version}", f"envpool_mujoco._mujoco:{name}", max_episode_steps=1000, version=version)
    yield from _dm_control.tasks()


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    if task.env == _dm_control.ENV:
        return _dm_control.prepare(task, options)
    spec = find_spec("gymnasium")
    base = Path(spec.origin).parent / "envs" / "mujoco" / "assets"
    return Prepared(task.env, {"base_path": str(base), **options})
