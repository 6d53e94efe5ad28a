# SPDX-License-Identifier: Apache-2.0
"""parallel_env: one environment of several players as a `ParallelEnv` of PettingZoo.

    env = parallel_env("Meadow/Tag-v0")
    obs, infos = env.reset(seed=1)
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    obs, rewards, terminations, truncations, infos = env.step(actions)

It is a view of a pool of one environment, for libraries that step a single environment.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._pools.make import make
from ..errors import ActionError
from ._base import library_class, view_class
from ._players import own, own_space


def parallel_env(task_id: str, **config: Any) -> Any:
    """A `pettingzoo.ParallelEnv` that steps a pool of one environment.

    Agents are called "player_0", "player_1" and so on, in the order of the rows, or by
    `info["players"]["id"]` where the task has it. They end an episode together; an agent that has
    left before gets its last observation again, terminated. The level "players" of observations and
    actions has each agent's own arrays; all agents share the rest, and actions take it from the
    first agent.

    Args:
        task_id: A task of several players.
        **config: Its options, as for `make`.

    Raises:
        MissingPackageError: If PettingZoo is not installed.
        ConfigError: As `make`.
    """
    base = library_class("parallel_env()", "pettingzoo", "ParallelEnv")
    return view_class("EnvPoolParallelEnv", ParallelMethods, base)(task_id, config)


class ParallelMethods:
    """The methods of a `ParallelEnv`, implemented with a pool."""

    def __init__(self, task_id: str, config: dict[str, Any]) -> None:
        """Makes the pool; see `parallel_env`."""
        fixed = {"num_envs": 1, "autoreset_mode": "disabled"}
        self.pool = make(task_id, "gymnasium", **{**config, **fixed})
        self.metadata = {**self.pool.metadata, "name": task_id, "is_parallelizable": True}
        self.render_mode = self.pool.render_mode
        self.possible_agents = [f"player_{i}" for i in range(self.pool.config["max_num_players"])]
        self.agents: list[str] = []
        self._obs: dict[str, Any] = {}
        # PettingZoo wants the same objects for each call, since they have the state of sampling.
        self._spaces = own_space(self.pool.observation_space), own_space(self.pool.action_space)

    def observation_space(self, agent: str) -> Any:
        """The space of one player's observation."""
        del agent
        return self._spaces[0]

    def action_space(self, agent: str) -> Any:
        """The space of one player's action."""
        del agent
        return self._spaces[1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Starts an episode: observations and infos by agent."""
        del options  # environments take their options from make()
        obs, info = self.pool.reset(seed=seed)
        self.agents = self._names(info)
        self._obs = self._split(obs)
        return dict(self._obs), self._split_info(info)

    def step(self, actions: dict[str, Any]) -> Any:
        """Observations, rewards, terminations, truncations and infos by agent.

        Raises:
            ActionError: If an agent has no action.
        """
        missing = [agent for agent in self.agents if agent not in actions]
        if missing or not self.agents:
            raise ActionError(
                f"step() of {self.pool.spec.id}",
                f"no action for {', '.join(missing)}" if missing else "an episode that is over",
                "an action for each of env.agents" if missing else "reset() after an episode",
                "Pass one for each" if missing else "Call reset()",
            )
        before = self.agents
        obs, reward, terminated, truncated, info = self.pool.step(self._action(actions))
        self.agents = self._names(info)
        gone = [agent for agent in before if agent not in self.agents]
        rewards = np.broadcast_to(reward, len(self.agents)).tolist()
        last = {agent: self._obs[agent] for agent in gone}
        self._obs = self._split(obs)
        result = (
            last | self._obs,
            dict.fromkeys(gone, 0.0) | dict(zip(self.agents, rewards, strict=True)),
            dict.fromkeys(gone, True) | dict.fromkeys(self.agents, bool(terminated[0])),
            dict.fromkeys(before + self.agents, bool(truncated[0])),
            {agent: {} for agent in gone} | self._split_info(info),
        )
        if terminated[0] or truncated[0]:
            self.agents = []
        return result

    def render(self) -> Any:
        """A frame of shape (height, width, 3)."""
        return self.pool.render()[0]

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()

    def _action(self, actions: dict[str, Any]) -> dict[str, Any]:
        """The actions of all agents as the arrays of the pool."""
        arrays: dict[str, Any] = {
            "env_id": np.zeros(1, np.int32),
            "players.env_id": np.zeros(len(self.agents), np.int32),
        }
        for name, spec in self.pool.spec.own_actions.items():
            path = name.removeprefix("players.").split(".")
            leaves = [_at(actions[agent], path) for agent in self.agents]
            arrays[name] = np.asarray(leaves if spec.per_player else leaves[:1])
        return arrays

    def _names(self, info: dict[str, Any]) -> list[str]:
        players = info["players"]
        ids = players.get("id", range(len(players["env_id"])))
        return [f"player_{int(number)}" for number in ids]

    def _split(self, tree: Any) -> dict[str, Any]:
        return {agent: _row(own(tree), row) for row, agent in enumerate(self.agents)}

    def _split_info(self, info: dict[str, Any]) -> dict[str, Any]:
        own = {key: array for key, array in info["players"].items() if key != "env_id"}
        return {agent: _row(own, row) for row, agent in enumerate(self.agents)}


def _at(action: Any, path: list[str]) -> Any:
    """The named array of an action; the action itself if it is a single array."""
    for key in path if isinstance(action, dict) else ():
        action = action[key]
    return action


def _row(tree: Any, row: int) -> Any:
    """A player's part of arrays with a row for each player, or with one for the environment."""
    if isinstance(tree, dict):
        return {key: _row(leaf, row) for key, leaf in tree.items()}
    return tree[row if len(tree) > row else 0]
