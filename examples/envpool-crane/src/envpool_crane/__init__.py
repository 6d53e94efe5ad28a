# SPDX-License-Identifier: Apache-2.0
"""A crane on envpool-mujoco: the task that the wheel envpool-crane adds to EnvPool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task, pixels
from envpool_mujoco import family

_CRANE = Task(
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


def _prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """The path of the model; the environment with images, if the options ask for it."""
    own = str(Path(__file__).with_name("crane.xml"))
    given = {**options, "xml_file": str(options.get("xml_file") or own)}
    return pixels.prepare(task, given, f"{task.env}Pixels")


FAMILY = family.RobotFamily([_CRANE], prepare=_prepare)
