# SPDX-License-Identifier: Apache-2.0
"""dm_control's locomotion, as its examples make it, without cameras.

    env = load("cmu_humanoid_go_to_target", seed=7)    # a composer.Environment

A camera's image depends on the OpenGL that draws it, and an environment with a camera needs OpenGL.
"""
# ruff: noqa: NPY002 (the generator that dm_control draws from)

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from envpool_mujoco import _locomotion

LOCOMOTION = {task.ids[0]: task.name for task in _locomotion.TASKS.values()}
"""dm_control's names of tasks, by id."""
SOCCER = {"DmcSoccerAnt-v1": "ant", "DmcSoccerBoxhead-v1": "boxhead"}
"""dm_control's kinds of players, by id."""
_EXAMPLES = {"cmu": "basic_cmu_2019", "rodent": "basic_rodent_2020"}


class _WithOwnGenerator:
    """An environment that restores NumPy's global generator to its own last state, first seeded.

    Some tasks draw from that generator, which no argument of an environment seeds.
    """

    def __init__(self, env: Any, seed: int) -> None:
        self._env = env
        self._state = np.random.RandomState(seed).get_state()

    def _call(self, function: Any, *arguments: Any) -> Any:
        before = np.random.get_state()
        np.random.set_state(self._state)
        try:
            return function(*arguments)
        finally:
            self._state = np.random.get_state()
            np.random.set_state(before)

    def reset(self) -> Any:
        return self._call(self._env.reset)

    def step(self, action: Any) -> Any:
        return self._call(self._env.step, action)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_env", "_state"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._env, name, value)


def load(name: str, seed: int) -> Any:
    """The environment of an example's function, without the camera."""
    from dm_control import composer, mjcf

    whole = composer.Environment

    def without_camera(task: Any, **options: Any) -> Any:
        task._walker.observables.egocentric_camera.enabled = False
        return whole(task=task, **options)

    module = _EXAMPLES[name.partition("_")[0]]
    # Uploading a new terrain to a renderer would need one.
    mjcf.Physics.contexts = property(lambda _: None)
    examples = importlib.import_module(f"dm_control.locomotion.examples.{module}")
    composer.Environment = without_camera
    try:
        return _WithOwnGenerator(getattr(examples, name)(random_state=seed), seed)
    finally:
        composer.Environment = whole


def load_soccer(kind: str, seed: int, team_size: int = 2) -> Any:
    """Two teams of soccer, as `dm_control.locomotion.soccer.load` makes them."""
    from dm_control import mjcf
    from dm_control.locomotion import soccer

    mjcf.Physics.contexts = property(lambda _: None)
    walker = soccer.WalkerType[kind.upper()]
    return soccer.load(team_size, random_state=seed, walker_type=walker)
