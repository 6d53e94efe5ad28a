# SPDX-License-Identifier: Apache-2.0
"""The task with the user's own model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task, pixels

from . import family
from ._plugins import load_plugins

__all__ = ["TASK", "prepare"]

_EXAMPLE = Path(__file__).parent / "cart_pole.xml"
TASK = Task(
    "MujocoXml-v0",
    "envpool_mujoco._mujoco:MujocoXml",
    description="A model of your own, with the observation, reward and ends that you name.",
    config_docs={
        "xml_file": "the model: a path, or MJCF text; '': a cart with a pole",
        "frame_skip": "steps of the simulation that an action lasts",
        "observation": "what is observed, in order: 'qpos', 'qvel', 'qacc', 'act', 'ctrl', "
        "'sensordata', names of sensors",
        "flat_observation": "whether the observation is one array; False: a dict of arrays",
        "cameras": "cameras of the model whose images are observed, by name",
        "camera_width": "columns of these images",
        "camera_height": "lines of these images",
        "reward": "weights of sensors, {name: weight}; a sensor of several numbers is 'name[i]'",
        "terminate": "{sensor: (low, high)}: an episode ends when one leaves its range",
        "keyframe": "the <key> of the model in which episodes begin, by name or number; '': the "
        "model's own start",
        "substep_controls": "whether an action has a row of controls for each step of the "
        "simulation: frame_skip x controls",
        "stage": "what is computed after the steps of an action: 'none', 'velocity' (what follows "
        "from positions and velocities), 'all', or 'auto': what is observed and rewarded",
        "quick_contacts": "whether contacts are found by a list of pairs also where MuJoCo may "
        "order them otherwise",
        "reset_noise_scale": "uniform noise on positions and velocities at the start",
        **family.OPTION_DOCS,
        **family.FIELD_DOCS,
        "frame_stack": "how many images are seen at a time, the newest last",
    },
    options=pixels.options(),
    max_episode_steps=1000,
)


def prepare(task: Task, options: Mapping[str, object]) -> Prepared:
    """Sets a path or text that C++ can read; by default a cart with a pole."""
    load_plugins()
    given = dict(options)
    source = given.get("xml_file") or _EXAMPLE
    if isinstance(source, str | os.PathLike):  # other types are refused with the other options
        text = os.fspath(source).strip()
        given["xml_file"] = text if text.startswith("<") else str(Path(text).expanduser())
    if isinstance(keyframe := given.get("keyframe"), int) and not isinstance(keyframe, bool):
        given["keyframe"] = str(keyframe)
    return pixels.prepare(task, given, f"{task.env}Pixels")
