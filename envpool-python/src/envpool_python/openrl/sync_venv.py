# SPDX-License-Identifier: Apache-2.0
"""SyncVectorEnv: environments in this process, stepped one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from envpool.errors import ConfigError
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from .._env_calls import call_method, set_attribute
from .._gymnasium_runner import describe
from .base_venv import AsyncState, BaseVecEnv, check_spaces, indices_of


class SyncVectorEnv(BaseVecEnv):
    """`AsyncVectorEnv` without workers: for debugging, and for very fast environments.

    Attributes:
        envs: The environments.
    """

    def __init__(
        self,
        env_fns: Iterable[Callable[[], gymnasium.Env[Any, Any]]],
        observation_space: gymnasium.Space[Any] | None = None,
        action_space: gymnasium.Space[Any] | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        auto_reset: bool = True,
    ) -> None:
        """Makes the environments.

        Args:
            env_fns: Functions that each return an environment.
            observation_space: The expected space of one environment; None: any.
            action_space: The expected action space of one environment; None: any.
            copy: Accepted; results are never written again.
            render_mode: As in Gymnasium; the functions make the environments.
            auto_reset: True if the next episode begins in the step that ends an episode.

        Raises:
            ConfigError: If there is no function, or the spaces differ.
        """
        del copy
        self.envs = [make() for make in env_fns]
        if not self.envs:
            raise ConfigError(
                "SyncVectorEnv([])", "no functions", "one or more", "Pass [make_env] * 8"
            )
        first = self.envs[0]
        super().__init__(
            len(self.envs),
            observation_space or first.observation_space,
            action_space or first.action_space,
            render_mode,
            auto_reset,
        )
        for env in self.envs:
            check_spaces("SyncVectorEnv", env, self.observation_space, self.action_space)
        self._description = describe(first)
        self._actions = batch_space(self.action_space, len(self.envs))
        self._pending: Any = None

    @property
    def env_name(self) -> str:
        """The first environment's name, as "CartPole-v1"."""
        return self._description.name

    @property
    def agent_num(self) -> int:
        """The environment's `agent_num`, or 1."""
        return self._description.agent_num

    def reset_send(
        self,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Keeps the arguments for `reset_fetch`."""
        self._require(AsyncState.DEFAULT, "reset_send")
        seeds: Sequence[int | None] | None = self._take_seeds(seed)
        self._pending = seeds or [None] * len(self.envs), options
        self._state = AsyncState.WAITING_RESET

    def reset_fetch(self, timeout: float | None = None) -> tuple[Any, list[dict[str, Any]]]:
        """Resets all environments; there is no time limit in one process."""
        seeds, options = self._take(AsyncState.WAITING_RESET, "reset_fetch")
        results = [
            env.reset(seed=seed, options=options)
            for env, seed in zip(self.envs, seeds, strict=True)
        ]
        return self._batched([obs for obs, _ in results]), [dict(info) for _, info in results]

    def step_send(self, actions: Any) -> None:
        """Keeps the arguments for `step_fetch`."""
        self._require(AsyncState.DEFAULT, "step_send")
        items = list(iterate(self._actions, actions))
        if len(items) != len(self.envs):
            raise ConfigError(
                "step_send(actions)",
                f"{len(items)} actions",
                f"{len(self.envs)}",
                "Pass one action for each environment",
            )
        self._pending = items
        self._state = AsyncState.WAITING_STEP

    def step_fetch(self, timeout: float | None = None) -> Any:
        """Steps all environments; there is no time limit in one process."""
        observations, infos = [], []
        rewards = np.zeros(len(self.envs), np.float32)
        terminated, truncated = np.zeros((2, len(self.envs)), np.bool_)
        actions = self._take(AsyncState.WAITING_STEP, "step_fetch")
        for i, (env, action) in enumerate(zip(self.envs, actions, strict=True)):
            obs, reward, terminated[i], truncated[i], info = env.step(action)
            rewards[i] = reward
            info = dict(info)
            if self.auto_reset and (terminated[i] or truncated[i]):
                last, last_info = obs, info
                obs, info = env.reset()
                info = {**info, "final_observation": last, "final_info": last_info}
            observations.append(obs)
            infos.append(info)
        return self._batched(observations), rewards, terminated, truncated, infos

    def _batched(self, observations: Sequence[Any]) -> Any:
        out: Any = create_empty_array(self.observation_space, len(self.envs))
        return concatenate(self.observation_space, observations, out)

    def call_send(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Calls at once."""
        self._call("call_send", call_method, None, (name, *args), kwargs)

    def call_fetch(self, timeout: float | None = None) -> list[Any]:
        """The results of the calls."""
        return list(self._take(AsyncState.WAITING_CALL, "call_fetch"))

    def exec_func(
        self,
        func: Callable[..., Any],
        indices: int | Iterable[int] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Calls `func(env, *args, **kwargs)` for environments; a tuple of results."""
        return tuple(super().exec_func(func, indices, *args, **kwargs))

    def exec_func_send(
        self,
        func: Callable[..., Any],
        indices: int | Iterable[int] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Calls at once."""
        self._call("exec_func_send", func, indices, args, kwargs)

    def exec_func_fetch(self, timeout: float | None = None) -> list[Any]:
        """The results of the function."""
        return list(self._take(AsyncState.WAITING_CALL, "exec_func_fetch"))

    def _call(self, asked: str, func: Any, indices: Any, args: Any, kwargs: Any) -> None:
        self._require(AsyncState.DEFAULT, asked)
        ids = indices_of(indices, len(self.envs))
        self._pending = [func(self.envs[i], *args, **kwargs) for i in ids]
        self._state = AsyncState.WAITING_CALL

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment.

        Raises:
            ValueError: If the length of a list or tuple is not the number of environments.
        """
        self._require(AsyncState.DEFAULT, "set_attr")
        for env, value in zip(self.envs, self._values(values), strict=True):
            set_attribute(env, name, value)

    def _frames(self, count: int) -> list[Any]:
        return [env.render() for env in self.envs[:count]]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the environments."""
        for env in self.envs:
            env.close()

    def _take(self, state: AsyncState, asked: str) -> Any:
        """The arguments that the matching send kept."""
        self._require(state, asked)
        self._state = AsyncState.DEFAULT
        return self._pending
