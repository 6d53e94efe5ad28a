# SPDX-License-Identifier: Apache-2.0
"""SyncVectorEnv: environments in this very process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from envpool.errors import ConfigError
from gymnasium.vector.utils import concatenate, create_empty_array

from .base_venv import BaseVecEnv, call, indices_of, set_attr, tile
from .errors import ClosedEnvironmentError, NoAsyncCallError


class SyncVectorEnv(BaseVecEnv):
    """The same as `AsyncVectorEnv` without workers: to debug environments, and for very fast ones.

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
            env_fns: Functions, each of which makes an environment.
            observation_space: That of one environment, to be checked; None: whatever it is.
            action_space: Likewise.
            copy: Accepted; results are never written again.
            render_mode: As of Gymnasium; the environments are made by their functions.
            auto_reset: Whether an episode that ends is followed by the next one in the same step.

        Raises:
            ConfigError: If there is no function, or the spaces are not all alike.
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
        for i, env in enumerate(self.envs):
            for name in ("observation_space", "action_space"):
                if getattr(env, name) != getattr(self, name):
                    raise ConfigError(
                        f"SyncVectorEnv({name}={getattr(self, name)})",
                        f"{getattr(env, name)} in environment {i}",
                        "environments whose spaces are alike",
                        "Bring them together with a wrapper",
                    )
        self._pending: tuple[str, Any] | None = None

    @property
    def env_name(self) -> str:
        """What the first environment calls itself, as "CartPole-v1"."""
        spec = self.envs[0].spec
        return spec.id if spec is not None else type(self.envs[0].unwrapped).__name__

    @property
    def agent_num(self) -> int:
        """What an environment says as `agent_num`; 1, if it says nothing."""
        return int(getattr(self.envs[0].unwrapped, "agent_num", 1))

    def reset_send(
        self,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Keeps what `reset_fetch` is going to do."""
        self._require_open("reset_send")
        if seed is None:
            seeds: Sequence[int | None] = self._next_seeds or [None] * len(self.envs)
        elif isinstance(seed, int):
            seeds = [seed + i for i in range(len(self.envs))]
        else:
            seeds = seed
        if len(seeds) != len(self.envs):
            raise ConfigError(
                f"reset(seed={seed})",
                f"{len(seeds)} seeds",
                f"an int, or a list of {len(self.envs)}",
                "Pass one seed for each environment",
            )
        self._next_seeds = None
        self._pending = "reset", (seeds, options)

    def reset_fetch(self, timeout: float | None = None) -> tuple[Any, list[dict[str, Any]]]:
        """Resets all environments; there is no time limit in one process."""
        seeds, options = self._take("reset")
        results = [
            env.reset(seed=seed, options=options)
            for env, seed in zip(self.envs, seeds, strict=True)
        ]
        return self._batched([obs for obs, _ in results]), [dict(info) for _, info in results]

    def step_send(self, actions: Any) -> None:
        """Keeps what `step_fetch` is going to do."""
        self._require_open("step_send")
        from gymnasium.vector.utils import batch_space, iterate

        items = list(iterate(batch_space(self.action_space, len(self.envs)), actions))
        if len(items) != len(self.envs):
            raise ConfigError(
                "step_send(actions)",
                f"{len(items)} actions",
                f"{len(self.envs)}",
                "Pass one action for each environment",
            )
        self._pending = "step", items

    def step_fetch(self, timeout: float | None = None) -> Any:
        """Steps all environments; there is no time limit in one process."""
        observations, infos = [], []
        rewards = np.zeros(len(self.envs), np.float32)
        terminated, truncated = np.zeros((2, len(self.envs)), np.bool_)
        for i, (env, action) in enumerate(zip(self.envs, self._take("step"), strict=True)):
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
        self.exec_func_send(call, None, name, *args, **kwargs)

    def call_fetch(self, timeout: float | None = None) -> list[Any]:
        """What the calls returned."""
        return list(self._take("call"))

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
        self._require_open("exec_func_send")
        ids = indices_of(indices, len(self.envs))
        self._pending = "call", [func(self.envs[i], *args, **kwargs) for i in ids]

    def exec_func_fetch(self, timeout: float | None = None) -> list[Any]:
        """What the function returned."""
        return list(self._take("call"))

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment.

        Raises:
            ValueError: If a list or tuple is not as long as there are environments.
        """
        for env, value in zip(self.envs, self._values(values), strict=True):
            set_attr(env, name, value)

    def render(self, mode: str | None = None) -> Any:
        """Draws the environments; see `BaseVecEnv.render`."""
        every = (mode or self.render_mode or "").startswith("group")
        frames: list[Any] = [env.render() for env in (self.envs if every else self.envs[:1])]
        return tile(frames) if every else frames[0]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes the environments."""
        for env in self.envs:
            env.close()

    def _require_open(self, asked: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(
                f"{asked}() of {self.env_name}",
                "an environment that was closed",
                "calls before close()",
                "Make a new one",
            )

    def _take(self, what: str) -> Any:
        self._require_open(f"{what}_fetch")
        pending, self._pending = self._pending, None
        if pending is None or pending[0] != what:
            error = NoAsyncCallError(
                f"{what}_fetch() of {self.env_name}",
                f"no pending {what}",
                f"calls after {what}_send()",
                f"Call {what}_send() first",
            )
            error.name = what
            raise error
        return pending[1]
