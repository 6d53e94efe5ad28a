# SPDX-License-Identifier: Apache-2.0
"""gymnax 0.0.9 to 1.0, and classes of its form: `reset_env`, `step_env`, `default_params`.

`env_kwargs` may contain parameters, as `max_steps_in_episode`, and arguments of the class.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from typing import Any

import numpy as np
from gymnasium import spaces

from ..protocol import Step
from ._frames import of_figure
from ._library import LibraryEnv, lister, require

# The ids of gymnax 1.0.1, without MNISTBandit-bsuite, which needs a download.
TASKS = [
    "CartPole-v1",
    "Pendulum-v1",
    "Acrobot-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Asterix-MinAtar",
    "Breakout-MinAtar",
    "Freeway-MinAtar",
    "Seaquest-MinAtar",
    "SpaceInvaders-MinAtar",
    "Catch-bsuite",
    "DeepSea-bsuite",
    "MemoryChain-bsuite",
    "UmbrellaChain-bsuite",
    "DiscountingChain-bsuite",
    "SimpleBandit-bsuite",
    "FourRooms-misc",
    "MetaMaze-misc",
    "PointRobot-misc",
    "BernoulliBandit-misc",
    "GaussianBandit-misc",
    "Reacher-misc",
    "Swimmer-misc",
    "Pong-misc",
    "FrozenLake-misc",
]
# The tasks that gymnax draws; the first five with Gymnasium's own drawings, by pygame.
DRAWN = {
    *TASKS[:10],
    "Catch-bsuite",
    "FourRooms-misc",
    "MetaMaze-misc",
    "PointRobot-misc",
    "Pong-misc",
}
# Bounds of observations, for tasks whose bounds in gymnax 1.0.1 exclude actual values.
BOUNDS = {
    "MemoryChain-bsuite": (-1, np.inf),  # the context is -1 or 1
    "UmbrellaChain-bsuite": (-1e-6, 1),  # the rest of the chain, 1 - n / n, is rounded
    "GaussianBandit-misc": (-np.inf, np.inf),  # rewards are drawn from a normal distribution
}


list_tasks = lister("gymnax", TASKS)


def load(task: str, **env_kwargs: Any) -> GymnaxEnv:
    """The environment of `gymnax.make`."""
    gymnax: Any = importlib.import_module("gymnax")
    registered = importlib.import_module("gymnax.registration").registered_envs
    require(task, registered, "gymnax.registered_envs")
    plain, params = gymnax.make(task)
    fields = {field.name for field in dataclasses.fields(params)}
    own = {key: value for key, value in env_kwargs.items() if key not in fields}
    if own:
        plain, params = gymnax.make(task, **own)
    return GymnaxEnv(plain, params.replace(**{k: env_kwargs[k] for k in fields & set(env_kwargs)}))


class GymnaxEnv(LibraryEnv):
    """A `JaxEnv`."""

    def __init__(self, env: Any, params: Any) -> None:
        """Keeps both."""
        super().__init__(env)
        self._params = params
        limit = getattr(params, "max_steps_in_episode", getattr(params, "max_timesteps", None))
        self.max_episode_steps = limit if isinstance(limit, int) and limit > 0 else None
        self._is_old = not hasattr(env, "is_truncated")  # `done` then includes the limit
        self._is_gymnax = type(env).__module__.startswith("gymnax.")
        if self._is_gymnax and env.name in DRAWN:
            self.render = self._drawn

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """Gymnax's space as Gymnasium's, with the observations' actual dtype."""
        jax: Any = importlib.import_module("jax")
        seen = jax.eval_shape(self._env.reset_env, jax.random.PRNGKey(0), self._params)[0]
        space = _space(self._env.observation_space(self._params), getattr(seen, "dtype", None))
        if self._is_gymnax and (bounds := BOUNDS.get(self._env.name)):
            return spaces.Box(*bounds, space.shape, np.float32)
        return space

    @functools.cached_property
    def action_space(self) -> spaces.Space[Any]:
        """Gymnax's space as Gymnasium's."""
        return _space(self._env.action_space(self._params))

    def reset(self, key: Any, /) -> tuple[Any, Any, Any]:
        """A new episode."""
        observation, state = self._env.reset_env(key, self._params)
        return state, observation, {}

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """A step without a reset."""
        observation, state, reward, ended, info = self._env.step_env(
            key, state, action, self._params
        )
        if not self._is_old:
            truncated = self._env.is_truncated(state, self._params)
            return state, Step(observation, reward, ended, truncated, info)
        time = getattr(state, "time", getattr(state, "timestep", None))
        if time is None or self.max_episode_steps is None:
            return state, Step(observation, reward, ended, False, info)
        late = time >= self.max_episode_steps
        return state, Step(observation, reward, ended & ~late, ended & late, info)

    def _drawn(self, state: Any) -> Any:
        visualizer: Any = importlib.import_module("gymnax.visualize").Visualizer
        drawn = visualizer(self._env, self._params, [state])
        drawn.init()
        return of_figure(drawn.fig)


def _space(space: Any, dtype: Any = None) -> spaces.Space[Any]:
    kind = type(space).__name__
    if kind == "Discrete":
        return spaces.Discrete(int(space.n))
    if kind == "Dict":
        return spaces.Dict({str(key): _space(one) for key, one in space.spaces.items()})
    if kind == "Tuple":
        return spaces.Tuple([_space(one) for one in space.spaces])
    dtype = np.dtype(space.dtype if dtype is None else dtype)
    low, high = np.asarray(space.low), np.asarray(space.high)
    if dtype.kind == "b":
        return spaces.MultiBinary(tuple(space.shape))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = np.clip(low, limits.min, limits.max), np.clip(high, limits.min, limits.max)
    shape = (space.shape,) if isinstance(space.shape, int) else tuple(space.shape)
    return spaces.Box(
        np.broadcast_to(low, shape).astype(dtype), np.broadcast_to(high, shape).astype(dtype),
        shape, dtype.type,
    )  # fmt: skip
