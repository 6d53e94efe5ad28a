# SPDX-License-Identifier: Apache-2.0
"""MuJoCo tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from envpool import Finding, Prepared, Task, hookimpl

from ._rendering import OPTION_DOCS, OPTIONS, gl_finding, with_pixels


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    for name in ("Ant", "HalfCheetah"):
        for version in (4, 5):
            yield Task(f"{name}-v{version}", f"envpool_mujoco._mujoco:{name}", max_episode_steps=1000, version=version, options=OPTIONS, config_docs=OPTION_DOCS)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    spec = find_spec("gymnasium")
    base = Path(spec.origin).parent / "envs" / "mujoco" / "assets"
    return with_pixels(Prepared(task.env, {"base_path": str(base), **options}))


@hookimpl
def envpool_findings() -> Iterator[Finding]:
    yield gl_finding()
