# SPDX-License-Identifier: Apache-2.0
"""sb3_vec_env: a pool as a `VecEnv` of Stable-Baselines3.

    pool = envpool.make("CartPole-v1", num_envs=16, autoreset_mode="same_step")
    model = PPO("MlpPolicy", sb3_vec_env(pool))

Stable-Baselines3 is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .._pools.base import EnvPoolMixin
from ..errors import ConfigError, shorten
from ._base import library_class, view_class
from .episode_statistics import EpisodeStatistics


def sb3_vec_env(env: Any, per_game: bool = True) -> Any:
    """A `stable_baselines3.common.vec_env.VecEnv` that steps a pool.

    Infos have "terminal_observation", "TimeLimit.truncated" and "episode" (its "r", "l" and "t")
    where an episode ended, and nothing in the others; VecMonitor is not needed.

    Args:
        env: A synchronous pool with autoreset_mode="same_step", or a wrapper around one.
        per_game: As in EpisodeStatistics.

    Raises:
        ConfigError: If it is another pool.
        MissingPackageError: If Stable-Baselines3 is not installed.
    """
    base = library_class("sb3_vec_env()", "stable_baselines3.common.vec_env", "VecEnv")
    return view_class("EnvPoolVecEnv", VecEnvMethods, base)(env, per_game)


class VecEnvMethods:
    """What a `VecEnv` does, by a pool."""

    num_envs: int
    render_mode: str | None
    _seeds: list[int | None]

    def __init__(self, env: Any, per_game: bool) -> None:
        """Wraps the pool; see `sb3_vec_env`."""
        pool: Any = getattr(env, "unwrapped", None)
        config = pool.config if isinstance(pool, EnvPoolMixin) else {}
        synchronous = bool(config) and config["batch_size"] == config["num_envs"]
        if not synchronous or config["autoreset_mode"] != "same_step":
            got = {
                key: config[key] for key in ("num_envs", "batch_size", "autoreset_mode") if config
            }
            raise ConfigError(
                f"sb3_vec_env({shorten(env)})",
                shorten(got or type(env).__name__),
                "a pool that is synchronous and has autoreset_mode='same_step', as SB3 expects it",
                "Pass autoreset_mode='same_step' to make(), and leave batch_size out",
            )
        self.env = EpisodeStatistics(env, per_game=per_game)
        self._action: Any = None
        super().__init__(  # type: ignore[call-arg]
            len(pool), env.single_observation_space, env.single_action_space
        )

    def reset(self) -> Any:
        """Observations of new episodes, under the seeds that `seed` has set."""
        seeded = any(seed is not None for seed in self._seeds)
        obs, _ = self.env.reset(**({"seed": self._seeds} if seeded else {}))
        self._reset_seeds()  # type: ignore[attr-defined]
        self._reset_options()  # type: ignore[attr-defined]
        return obs

    def step_async(self, actions: Any) -> None:
        """Keeps the actions: environments step in `step_wait`."""
        self._action = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Observations, rewards, dones and infos."""
        obs, reward, terminated, truncated, info = self.env.step(self._action)
        done = terminated | truncated
        # Each is one of its own: wrappers write into them.
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(done):
            own = infos[row]
            own["terminal_observation"] = _row(info["final_obs"], row)
            own["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
            if "_episode" in info and info["_episode"][row]:
                own["episode"] = {
                    key: values[row].item() for key, values in info["episode"].items()
                }
        return obs, reward, done, infos

    def close(self) -> None:
        """Closes the pool."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of the pool, once for each environment."""
        return [getattr(self.env, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the pool, which all environments share."""
        setattr(self.env.pool, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Calls a method of the pool, once, and gives its result for each environment."""
        method: Callable[..., Any] = getattr(self.env.pool, method_name)
        return [method(*args, **kwargs)] * len(self._indices(indices))

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """True for SB3's Monitor: episodes are counted already. No other wrapper is around one."""
        is_monitor = wrapper_class.__name__ == "Monitor"
        return [is_monitor] * len(self._indices(indices))

    def get_images(self) -> Sequence[Any]:
        """A frame of every environment."""
        return list(self.env.pool.render(env_ids=self.env.pool.all_env_ids))

    def _indices(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return list(indices) if isinstance(indices, Iterable) else [indices]


def _row(tree: Any, row: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _row(leaf, row) for key, leaf in tree.items()}
    return tree[row]
