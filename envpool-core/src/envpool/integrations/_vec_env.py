# SPDX-License-Identifier: Apache-2.0
"""The methods of a `VecEnv` of Stable-Baselines3, implemented with a pool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np

from .._pools.base import EnvPoolMixin
from .._pools.result_layouts import mask_keys
from ..errors import ConfigError, shorten
from .episode_statistics import EpisodeStatistics

# Keys of an info that the pool adds, not the task.
_POOLS_OWN = {
    "elapsed_step", "env_id", "episode", "final_info", "final_obs", "players", "_episode",
    "_final_info", "_final_obs",
}  # fmt: skip


class VecEnvMethods:
    """The methods of a `VecEnv`, implemented with a pool."""

    num_envs: int
    render_mode: str | None
    _seeds: list[int | None]
    _options: list[dict[str, Any]]

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
        self.env: Any = EpisodeStatistics(env, per_game=per_game)
        self.pool = pool
        self._action: Any = None
        self._strict = pool.env_type == "vector"  # its infos have all rows, and masks
        self._in_python = hasattr(pool, "call") and hasattr(pool, "get_attr")
        self.reset_infos: list[dict[str, Any]] = []
        self._init_library(len(pool), env.single_observation_space, env.single_action_space)

    def _init_library(self, rows: int, observation_space: Any, action_space: Any) -> None:
        flat = _flat_space(observation_space)
        self._is_nested = flat is not observation_space
        super().__init__(rows, flat, action_space)  # type: ignore[call-arg]

    def _shown(self, obs: Any) -> Any:
        """Observations in the form of Stable-Baselines3: a dict contains no dicts."""
        return _flat_tree(obs) if self._is_nested else obs

    def reset(self) -> Any:
        """Observations of new episodes, with the values of `seed` and `set_options`."""
        seeded = any(seed is not None for seed in self._seeds)
        if all(_same(options, self._options[0]) for options in self._options):
            seed = {"seed": self._seeds} if seeded else {}
            obs, info = self.env.reset(**seed, options=self._options[0])
            self.reset_infos = self._infos(info)
        else:
            obs = self._reset_each(seeded)
        self._reset_seeds()  # type: ignore[attr-defined]
        self._reset_options()  # type: ignore[attr-defined]
        return self._shown(obs)

    def _reset_each(self, seeded: bool) -> Any:
        """A reset with other options for each environment."""
        if self._strict:
            raise ConfigError(
                f"reset() of {self.pool.spec.id} after set_options()",
                "other options for each environment of a pool with env_type='vector'",
                "the same for all, or a pool with env_type='gymnasium'",
                "Make the pool with env_type='gymnasium'",
            )
        rows = []
        self.reset_infos = []
        for env_id, options in enumerate(self._options):
            seed = {"seed": [self._seeds[env_id]]} if seeded else {}
            obs, info = self.env.reset(np.array([env_id]), **seed, options=options)
            rows.append(obs)
            self.reset_infos += self._infos(info)
        return _joined(rows)

    def step_async(self, actions: Any) -> None:
        """Keeps the actions: environments step in `step_wait`."""
        self._action = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Observations, rewards, dones and infos."""
        obs, reward, terminated, truncated, info = self.env.step(self._action)
        obs = self._shown(obs)
        done = terminated | truncated
        infos = self._infos(info)  # each is a separate dict: wrappers write into them
        ended = np.flatnonzero(done)
        if len(ended) == 0:
            return obs, reward, done, infos
        last = self._infos(info["final_info"])
        for row in ended:
            own = infos[row] = last[row]
            own["terminal_observation"] = self._shown(row_of(info["final_obs"], row))
            own["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
            if "_episode" in info and info["_episode"][row]:
                own["episode"] = {
                    key: values[row].item() for key, values in info["episode"].items()
                }
        return obs, reward, done, infos

    def _infos(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        """The task's infos of each environment, a dict for each row."""
        told = [(key, info[key], info.get(f"_{key}")) for key in self._told(info)]
        rows = self.num_envs if self._strict else len(info["env_id"])
        infos: list[dict[str, Any]] = [{} for _ in range(rows)]
        for key, values, mask in told:
            for row, own in enumerate(infos):
                if mask is None or mask[row]:
                    own[key] = row_of(values, row)
        return infos

    @staticmethod
    def _told(info: dict[str, Any]) -> list[str]:
        masks = mask_keys(info)
        return [key for key in info if key not in _POOLS_OWN and key not in masks]

    def close(self) -> None:
        """Closes the pool."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of environments in Python; else of the pool, once for each environment."""
        ids = self._indices(indices)
        pool = self.pool
        if self._in_python and not hasattr(type(pool), attr_name):
            return list(pool.get_attr(attr_name, ids))
        return [getattr(self.env, attr_name)] * len(ids)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of environments in Python; else of the pool, which they share.

        Raises:
            ConfigError: If it is an attribute of the pool, and `indices` are not all environments.
        """
        ids = self._indices(indices)
        if self._in_python:
            self.pool.set_attr(attr_name, [value] * len(ids), ids)
            return
        self._require_all(f"set_attr({attr_name!r}, ..., indices={indices!r})", ids)
        setattr(self.pool, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Calls a method of environments in Python; else of the pool, once.

        Returns:
            The result of each environment. A method of the pool that takes `env_ids` returns a row
            for each; the result of another method, and of a function of the task such as
            `compute_reward`, is repeated for each.

        Raises:
            ConfigError: If it is a method of the pool for all, and `indices` are not all
                environments.
        """
        ids = self._indices(indices)
        pool = self.pool
        method: Callable[..., Any] | None = getattr(pool, method_name, None)
        if self._in_python and not hasattr(type(pool), method_name):
            return list(pool.call(method_name, *args, env_ids=ids, **kwargs))
        if method is None:
            raise ConfigError(
                f"env_method({method_name!r}) of {pool.spec.id}",
                "environments in C++, which have no methods",
                "methods of the pool",
                f"Call one of {type(pool).__name__}",
            )
        if "env_ids" in inspect.signature(method).parameters:
            return list(method(*args, env_ids=ids, **kwargs))
        if hasattr(type(pool), method_name):  # else a function of the task, equal for all
            self._require_all(f"env_method({method_name!r}, indices={indices!r})", ids)
        return [method(*args, **kwargs)] * len(ids)

    def _require_all(self, call: str, ids: Sequence[int]) -> None:
        if set(ids) != set(range(len(self.pool))):
            raise ConfigError(
                f"{call} of {self.pool.spec.id}",
                shorten(list(ids)),
                "all environments: they share the pool that this is of",
                "Leave indices out",
            )

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """True for SB3's Monitor: the pool counts episodes. No other wrapper is around it."""
        is_monitor = wrapper_class.__name__ == "Monitor"
        return [is_monitor] * len(self._indices(indices))

    def get_images(self) -> Sequence[Any]:
        """A frame of every environment."""
        return list(self.pool.render(env_ids=self.pool.all_env_ids))

    def _indices(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return list(indices) if isinstance(indices, Iterable) else [indices]


def row_of(tree: Any, row: Any) -> Any:
    """A row of arrays in dicts."""
    if isinstance(tree, dict):
        return {key: row_of(leaf, row) for key, leaf in tree.items()}
    return tree[row]


def _flat_space(space: Any) -> Any:
    """A Dict space without Dict spaces in it, keys joined by slashes; other spaces unchanged."""
    spaces = gymnasium.spaces
    inner = space.spaces if isinstance(space, spaces.Dict) else {}
    if not any(isinstance(leaf, spaces.Dict) for leaf in inner.values()):
        return space
    return spaces.Dict(_flat_tree({key: _tree_of(leaf) for key, leaf in inner.items()}))


def _tree_of(space: Any) -> Any:
    if isinstance(space, gymnasium.spaces.Dict):
        return {key: _tree_of(leaf) for key, leaf in space.spaces.items()}
    return space


def _flat_tree(tree: Any, name: str = "") -> Any:
    """Nested dicts as a single dict, keys joined by slashes: "achieved_goal/kettle"."""
    if not isinstance(tree, dict):
        return tree
    flat: dict[str, Any] = {}
    for key, leaf in tree.items():
        if isinstance(leaf, dict):
            flat |= _flat_tree(leaf, f"{name}{key}/")
        else:
            flat[f"{name}{key}"] = leaf
    return flat


def _same(options: dict[str, Any], others: dict[str, Any]) -> bool:
    equal = options.keys() == others.keys()
    return equal and all(np.array_equal(value, others[key]) for key, value in options.items())


def _joined(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: _joined([row[key] for row in rows]) for key in rows[0]}
    return np.concatenate(rows)
