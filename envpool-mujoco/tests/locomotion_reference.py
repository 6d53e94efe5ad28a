# SPDX-License-Identifier: Apache-2.0
"""dm_control's locomotion, as its examples make it, without cameras.

    env = load("cmu_humanoid_go_to_target", seed=7)    # a composer.Environment

A camera's image is a matter of the OpenGL that draws it, and an environment with one needs OpenGL.
"""

from __future__ import annotations

import importlib
from typing import Any

from envpool_mujoco import _locomotion

LOCOMOTION = {task.ids[0]: task.name for task in _locomotion.TASKS.values()}
"""Names of tasks there, by id."""
_EXAMPLES = {"cmu": "basic_cmu_2019", "rodent": "basic_rodent_2020"}


def load(name: str, seed: int) -> Any:
    """The environment that an example's function makes, but for the camera."""
    from dm_control import composer

    whole = composer.Environment

    def without_camera(task: Any, **options: Any) -> Any:
        task._walker.observables.egocentric_camera.enabled = False
        return whole(task=task, **options)

    module = _EXAMPLES[name.partition("_")[0]]
    examples = importlib.import_module(f"dm_control.locomotion.examples.{module}")
    composer.Environment = without_camera
    try:
        return getattr(examples, name)(random_state=seed)
    finally:
        composer.Environment = whole
