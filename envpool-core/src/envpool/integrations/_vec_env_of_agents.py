# SPDX-License-Identifier: Apache-2.0
"""The agents of a pool as rows of Stable-Baselines3: one policy plays all of them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray

from .._specs.arrays import split
from ..errors import ConfigError, shorten
from ._players import own, own_space
from ._vec_env import VecEnvMethods, row_of

Rows = NDArray[np.integer[Any]]


class AgentsMethods(VecEnvMethods):
    """The methods of a `VecEnv` with agent a of environment e in row `e * n + a`, for n agents.

    A missing agent observes zeros, gets no reward, and its action is not used, until the episode of
    its environment is over; then all of its rows are done, and begin anew.
    """

    observation_space: Any

    def __init__(self, env: Any) -> None:
        """Wraps a pool of several players; see `sb3_vec_env`."""
        pool: Any = env.unwrapped
        config = pool.config
        arrays = {n: a for n, a in pool.spec.state_array_spec.items() if split(n)[0] == "obs"}
        lone = len(pool.spec.own_actions) == 1
        others = [n for n, a in (arrays | pool.spec.own_actions).items() if not a.per_player]
        synchronous = config["batch_size"] == config["num_envs"]
        disabled = config["autoreset_mode"] == "disabled"
        if env is not pool or not (synchronous and disabled and lone and not others):
            keys = ("num_envs", "batch_size", "autoreset_mode")
            raise ConfigError(
                f"sb3_vec_env({shorten(env)})",
                shorten({key: config[key] for key in keys} | {"not of players": others}),
                "a synchronous pool of several players with autoreset_mode='disabled', no wrapper "
                "around it, one array of actions, and nothing that players share",
                "Pass autoreset_mode='disabled' to make(), and leave batch_size out",
            )
        self.env = self.pool = pool
        self._most: int = config["max_num_players"]
        self._in_python = hasattr(pool, "call") and hasattr(pool, "get_attr")
        self._action_name = next(iter(pool.spec.own_actions))
        rows = len(pool) * self._most
        self._present: Rows = np.zeros(0, np.int64)
        self._returns, self._lengths = np.zeros(rows), np.zeros(len(pool), np.int64)
        self._begun = np.full(len(pool), time.perf_counter())
        self.reset_infos: list[dict[str, Any]] = []
        self._init_library(rows, own_space(pool.observation_space), own_space(pool.action_space))

    def reset(self) -> Any:
        """Observations of new episodes, with the seeds and options of the first agents."""
        seeds = self._seeds[:: self._most]
        seed = {} if None in seeds else {"seed": seeds}
        obs, info = self.pool.reset(**seed, options=self._options[0])
        self._present = self._rows_of(info)
        self.reset_infos = self._agents_infos(info)
        self._begin(np.arange(len(self.pool)))
        self._reset_seeds()  # type: ignore[attr-defined]
        self._reset_options()  # type: ignore[attr-defined]
        return self._put(self._zeros(), obs, self._present)

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Observations, rewards, dones and infos."""
        acting = self._present
        action = {
            "env_id": np.arange(len(self.pool), dtype=np.int32),
            "players.env_id": (acting // self._most).astype(np.int32),
            self._action_name: np.asarray(self._action)[acting],
        }
        seen, rewards, terminated, truncated, info = self.pool.step(action)
        self._present = self._rows_of(info)
        obs = self._put(self._zeros(), seen, self._present)
        reward = np.zeros(self.num_envs, np.float32)
        reward[self._present] = rewards
        self._returns += reward
        self._lengths += 1
        infos = self._agents_infos(info)
        over = terminated | truncated
        ended = np.flatnonzero(over)
        if len(ended) > 0:
            self._end(ended, obs, truncated & ~terminated, infos)
            seen, info = self.pool.reset(ended.astype(np.int32))
            rows = self._rows_of(info)
            obs = self._put(self._blank(obs, over), seen, rows)
            goes_on = self._present[~over[self._present // self._most]]
            self._present = np.sort(np.concatenate([goes_on, rows]))
        return obs, reward, np.repeat(over, self._most), infos

    def get_images(self) -> Any:
        """A frame of every environment, once for each of its agents."""
        return [frame for frame in super().get_images() for _ in range(self._most)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """As of an environment, which its agents share."""
        rows = self._agent_rows(indices)
        return self._of_agents(super().get_attr(attr_name, rows), rows)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """As of an environment; called once for all of its agents."""
        rows = self._agent_rows(indices)
        found = super().env_method(method_name, *args, indices=rows, **kwargs)
        return self._of_agents(found, rows)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """As of an environment, which its agents share."""
        super().set_attr(attr_name, value, self._agent_rows(indices))

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """True for SB3's Monitor: the pool counts episodes itself."""
        return [wrapper_class.__name__ == "Monitor"] * len(self._agent_rows(indices))

    def _agent_rows(self, indices: Any) -> Rows:
        if indices is None:
            return np.arange(self.num_envs)
        return np.asarray(list(indices) if isinstance(indices, Iterable) else [indices], np.int64)

    def _indices(self, indices: Any) -> list[int]:
        """Environments, in order, of agents by their rows."""
        return [int(env_id) for env_id in np.unique(np.asarray(indices) // self._most)]

    def _of_agents(self, found: list[Any], rows: Rows) -> list[Any]:
        by_env = dict(zip(self._indices(rows), found, strict=True))
        return [by_env[env_id] for env_id in (rows // self._most).tolist()]

    def _rows_of(self, info: dict[str, Any]) -> Rows:
        """The rows of the agents in a result: by their "id", else in the order of the result."""
        players = info["players"]
        owners = players["env_id"].astype(np.int64)
        ids = players.get("id", np.arange(len(owners)) - np.searchsorted(owners, owners))
        return owners * self._most + ids  # type: ignore[no-any-return]

    def _zeros(self) -> Any:
        return create_empty_array(self.observation_space, n=self.num_envs, fn=np.zeros)

    def _put(self, target: Any, tree: Any, rows: Rows) -> Any:
        tree = self._shown(own(tree))
        if isinstance(tree, dict):
            for key, leaf in tree.items():
                self._put(target[key], leaf, rows)
        else:
            target[rows] = tree
        return target

    def _blank(self, obs: Any, over: NDArray[np.bool_]) -> Any:
        """Zeros in the rows of the environments that are over, in new arrays."""
        if isinstance(obs, dict):
            return {key: self._blank(leaf, over) for key, leaf in obs.items()}
        obs = obs.copy()
        obs[np.repeat(over, self._most)] = 0
        return obs

    def _agents_infos(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        told = {key: values for key, values in info["players"].items() if key != "env_id"}
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for at, row in enumerate(self._present.tolist()):
            infos[row] = {key: row_of(values, at) for key, values in told.items()}
        return infos

    def _end(
        self, ended: Rows, obs: Any, cut: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> None:
        """Reports the ends of episodes, and begins the counts anew."""
        now = time.perf_counter()
        for env_id in ended.tolist():
            for row in range(env_id * self._most, (env_id + 1) * self._most):
                infos[row] |= {
                    "terminal_observation": row_of(obs, row),
                    "TimeLimit.truncated": bool(cut[env_id]),
                    "episode": {
                        "r": float(self._returns[row]),
                        "l": int(self._lengths[env_id]),
                        "t": round(now - self._begun[env_id], 6),
                    },
                }
        self._begin(ended)

    def _begin(self, env_ids: Rows) -> None:
        self._returns.reshape(-1, self._most)[env_ids] = 0
        self._lengths[env_ids] = 0
        self._begun[env_ids] = time.perf_counter()
