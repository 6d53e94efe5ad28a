# SPDX-License-Identifier: Apache-2.0
"""brax, and environments of its form: `reset(rng)` and `step(state, action)` of one State.

Every reset draws a new state; brax's own wrapper returns to an environment's first state.
`env_kwargs` go to the class, as `backend`; `episode_length`, 1000 by default, is the pool's limit.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ..protocol import Step
from ._library import LibraryEnv, lister, require

TASKS = [
    "ant",
    "fast",
    "halfcheetah",
    "hopper",
    "humanoid",
    "humanoidstandup",
    "inverted_pendulum",
    "inverted_double_pendulum",
    "pusher",
    "reacher",
    "walker2d",
]


list_tasks = lister("brax", TASKS)


def load(task: str, episode_length: int = 1000, **env_kwargs: Any) -> BraxEnv:
    """The environment of `brax.envs.get_environment`."""
    envs: Any = importlib.import_module("brax.envs")
    require(task, envs._envs, "brax.envs")
    return BraxEnv(envs.get_environment(task, **env_kwargs), episode_length)


class BraxEnv(LibraryEnv):
    """A `JaxEnv`."""

    resets = "cond"  # resets cost many steps

    def __init__(self, env: Any, max_episode_steps: int | None) -> None:
        """Keeps the environment, and the step at which the pool truncates."""
        super().__init__(env)
        self.max_episode_steps = max_episode_steps
        if hasattr(env, "sys"):  # brax's own environments have it
            self.render = self._drawn

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """Unbounded: brax declares only sizes."""
        jax: Any = importlib.import_module("jax")
        return _box(jax.eval_shape(self._env.reset, jax.random.PRNGKey(0)).obs)

    @functools.cached_property
    def action_space(self) -> spaces.Space[Any]:
        """From -1 to 1."""
        return spaces.Box(-1, 1, (int(self._env.action_size),), np.float32)

    def reset(self, key: Any, /) -> tuple[Any, Any, Any]:
        """A new episode."""
        state = self._env.reset(key)
        return state, state.obs, dict(state.metrics)

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """A step; randomness is in the state."""
        state = self._env.step(state, action)
        return state, Step(state.obs, state.reward, state.done > 0, False, dict(state.metrics))

    def _drawn(self, state: Any) -> Any:
        """MuJoCo's picture. It needs OpenGL: MUJOCO_GL=egl without a display."""
        image: Any = importlib.import_module("brax.io.image")
        return np.asarray(image.render_array(self._env.sys, state.pipeline_state))


def _box(tree: Any) -> spaces.Space[Any]:
    if isinstance(tree, Mapping):
        return spaces.Dict({key: _box(leaf) for key, leaf in tree.items()})
    return spaces.Box(-np.inf, np.inf, tree.shape, np.dtype(tree.dtype).type)
