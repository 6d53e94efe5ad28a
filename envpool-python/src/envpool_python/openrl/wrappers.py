# SPDX-License-Identifier: Apache-2.0
"""Wrappers of vectorized environments, and of pools of any family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base_venv import BaseVecEnv
from .pool_venv import PoolVecEnv
from .vec_info import BaseVecInfo


class VecEnvWrapper(BaseVecEnv):
    """Passes every call to the wrapped environment; a wrapper overrides the calls that it changes.

    Attributes:
        env: The wrapped environment.
    """

    def __init__(self, env: Any) -> None:
        """Wraps a `BaseVecEnv`, or a pool, which gets this interface first."""
        self.env: BaseVecEnv = env if isinstance(env, BaseVecEnv) else PoolVecEnv(env)
        super().__init__(
            self.env.parallel_env_num,
            self.env.observation_space,
            self.env.action_space,
            self.env.render_mode,
            self.env.auto_reset,
        )

    @property
    def env_name(self) -> str:
        """The name of the environment."""
        return self.env.env_name

    @property
    def agent_num(self) -> int:
        """Number of agents in one environment."""
        return self.env.agent_num

    @property
    def unwrapped(self) -> BaseVecEnv:
        """The environment inside all wrappers."""
        return self.env.unwrapped

    def reset(self, **kwargs: Any) -> Any:
        """The wrapped environment's."""
        return self.env.reset(**kwargs)

    def step(self, actions: Any, extra_data: dict[str, Any] | None = None) -> Any:
        """The wrapped environment's."""
        if extra_data is not None and isinstance(self.env, VecEnvWrapper):
            return self.env.step(actions, extra_data)
        return self.env.step(actions)

    def reset_send(self, *args: Any, **kwargs: Any) -> None:
        """The wrapped environment's."""
        self.env.reset_send(*args, **kwargs)

    def reset_fetch(self, *args: Any, **kwargs: Any) -> Any:
        """The wrapped environment's."""
        return self.env.reset_fetch(*args, **kwargs)

    def step_send(self, actions: Any) -> None:
        """The wrapped environment's."""
        self.env.step_send(actions)

    def step_fetch(self, *args: Any, **kwargs: Any) -> Any:
        """The wrapped environment's."""
        return self.env.step_fetch(*args, **kwargs)

    def call_send(self, name: str, *args: Any, **kwargs: Any) -> None:
        """The wrapped environment's."""
        self.env.call_send(name, *args, **kwargs)

    def call_fetch(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The wrapped environment's."""
        return self.env.call_fetch(*args, **kwargs)

    def exec_func_send(self, func: Any, indices: Any = None, *args: Any, **kwargs: Any) -> None:
        """The wrapped environment's."""
        self.env.exec_func_send(func, indices, *args, **kwargs)

    def exec_func_fetch(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The wrapped environment's."""
        return self.env.exec_func_fetch(*args, **kwargs)

    def set_attr(self, name: str, values: Any) -> None:
        """The wrapped environment's."""
        self.env.set_attr(name, values)

    def seed(self, seed: int | Sequence[int] | None = None) -> list[int | None]:
        """The wrapped environment's."""
        return self.env.seed(seed)

    def render(self, mode: str | None = None) -> Any:
        """The wrapped environment's."""
        return self.env.render(mode)

    def _frames(self, count: int) -> Any:
        return self.env._frames(count)

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """The wrapped environment's."""
        self.env.close(timeout=timeout, terminate=terminate)


class VecMonitorWrapper(VecEnvWrapper):
    """Counts returns and lengths of episodes, and steps per second.

    An info of a step in which an episode ended has "episode": its return "r", its length "l".

    Attributes:
        vec_info: The collector of infos.
    """

    def __init__(self, vec_info: BaseVecInfo, env: Any) -> None:
        """Wraps a `BaseVecEnv` or a pool."""
        super().__init__(env)
        self.vec_info = vec_info
        self._returns: NDArray[np.float64] = np.zeros(self.parallel_env_num)
        self._lengths: NDArray[np.int64] = np.zeros(self.parallel_env_num, np.int64)

    @property
    def use_monitor(self) -> bool:
        """Always true: client code may read it."""
        return True

    def reset(self, **kwargs: Any) -> Any:
        """Resets the wrapped environment; episodes are counted from here."""
        self._returns[:] = 0
        self._lengths[:] = 0
        return super().reset(**kwargs)

    def step(self, actions: Any, extra_data: dict[str, Any] | None = None) -> Any:
        """Steps all environments.

        Args:
            actions: One for each.
            extra_data: For a `RewardWrapper` inside.

        Returns:
            The result of `BaseVecEnv.step`.
        """
        obs, rewards, dones, infos = super().step(actions, extra_data)
        self._returns += np.asarray(rewards).reshape(self.parallel_env_num, -1).sum(1)
        self._lengths += 1
        for i in np.flatnonzero(dones):
            infos[i]["episode"] = {"r": float(self._returns[i]), "l": int(self._lengths[i])}
            self._returns[i] = 0
            self._lengths[i] = 0
        self.vec_info.append(infos)
        return obs, rewards, dones, infos

    def statistics(self, buffer: Any = None) -> dict[str, Any]:
        """The figures of `vec_info`, which then starts again from zero."""
        figures = self.vec_info.statistics(buffer)
        self.vec_info.reset()
        return figures


class BaseReward(ABC):
    """A reward that is computed from a batch."""

    @abstractmethod
    def step_reward(self, data: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
        """The rewards of a step.

        Args:
            data: "actions", "observations", "rewards", "dones" and "infos" of the step, and the
            `extra_data` that `step` got.

        Returns:
            The rewards, and additions to the info of each environment.
        """

    def batch_rewards(self, buffer: Any) -> dict[str, Any]:
        """Changes the rewards in a buffer, after a rollout; returns figures."""
        return {}


class RewardWrapper(VecEnvWrapper):
    """Replaces rewards by those of a reward object.

    Attributes:
        reward_class: The object.
    """

    def __init__(self, env: Any, reward_class: BaseReward) -> None:
        """Wraps a `BaseVecEnv` or a pool."""
        super().__init__(env)
        self.reward_class = reward_class

    def step(self, actions: Any, extra_data: dict[str, Any] | None = None) -> Any:
        """Steps all environments, and computes the rewards."""
        obs, rewards, dones, infos = super().step(actions, extra_data)
        data = {
            **(extra_data or {}),
            "actions": actions,
            "observations": obs,
            "rewards": rewards,
            "dones": dones,
            "infos": infos,
        }
        rewards, more = self.reward_class.step_reward(data)
        for info, new in zip(infos, more, strict=False):
            info.update(new)
        return obs, rewards, dones, infos

    def batch_rewards(self, buffer: Any) -> dict[str, Any]:
        """The reward object's figures of a buffer."""
        return self.reward_class.batch_rewards(buffer)
