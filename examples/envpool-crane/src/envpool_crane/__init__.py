# SPDX-License-Identifier: Apache-2.0
"""A crane on envpool-mujoco: the task that the wheel envpool-crane adds to EnvPool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from envpool import Finding, Prepared, Task, hookimpl, pixels
from envpool_mujoco import family


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    yield Task(
        "Crane-v0",
        "envpool_crane._crane:Crane",
        description="Drive a trolley so that the load below it comes to rest at a place.",
        options=pixels.options(),
        config_docs={
            "frame_skip": "steps of the simulation that an action lasts",
            "frame_stack": "images in one observation, the newest last",
            "xml_file": "the model; '': the crane of this wheel",
            "close": "distance in metres within which the load is there",
            **family.OPTION_DOCS,
            **family.FIELD_DOCS,
        },
        render_fps=25,
        max_episode_steps=250,
    )


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Where the model is; images in place of numbers, if they are asked for."""
    family.load_library()
    own = str(Path(__file__).with_name("crane.xml"))
    given = {**options, "xml_file": str(options.get("xml_file") or own)}
    return family.with_fields(pixels.prepare(task, given, f"{task.env}Pixels"))


@hookimpl
def envpool_findings() -> Iterator[Finding]:
    """What draws."""
    yield family.gl_finding()
