# SPDX-License-Identifier: Apache-2.0
"""AecRunner: a PettingZoo environment whose agents take turns (AEC); a row is the acting agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._messages import EnvDescription, WorkerSetup
from ._parallel_runner import describe_agents
from ._runner import NEXT_EPISODE, Runner
from ._spaces import leaves_of, reader, writer
from ._values import BadValueError, check_info, flag_of, reward_of

OWN_INFO_KEYS = ("agent", "rewards")
"""Keys of an info that rows of these environments set themselves."""


class AecRunner(Runner):
    """A PettingZoo environment whose agents take turns.

    A row is the agent that `agent_selection` names, with the values of `env.last()`. Dead agents
    take their step, None, as soon as it is their turn, while other agents live; they have no row.
    If no agent lives the episode is over, and its last row is that of the selected agent.
    """

    def describe(self) -> EnvDescription:
        """The spaces of the first agent; all agents must have the same."""
        found = describe_agents(self.env)
        found.turn_agents, found.agents = found.agents, ()
        return found

    def open(self, endpoint: Any, setup: WorkerSetup) -> None:
        """Makes the functions that read actions and write rows."""
        super().open(endpoint, setup)
        description = setup.description
        self._number = {agent: i for i, agent in enumerate(description.turn_agents)}
        count = len(leaves_of(description.observation_space, ""))
        where = f"env {self.env_id}: the observation"
        self._views = [endpoint.states(self.env_id, i) for i in range(3)]
        self._write = [
            writer(description.observation_space, views[:count], where) for views in self._views
        ]
        self._own = [views[count:] for views in self._views]  # agent, rewards, maybe action_mask
        actions = [array[0, ...] for array in endpoint.actions(self.env_id)]  # arrays of one player
        self._read = reader(description.action_space, actions)
        self._buffer = 0  # buffer of the last row

    def _step(self, buffer: int) -> None:
        env = self.env
        rewards = self._own[buffer][1]
        rewards[:] = 0.0
        env.step(self._read())
        self._add_rewards(rewards)
        while self._is_dead() and any(map(self._lives, env.agents)):
            env.step(None)
            self._add_rewards(rewards)
        over = not any(map(self._lives, env.agents))
        terminated = over and self._any_flag("termination", env.terminations)
        cut = over and self._any_flag("truncation", env.truncations)
        reward = self._write_row(buffer, 0)
        # Agents that are removed at once have no flags.
        truncated = cut or (over and not terminated)
        if self._endpoint.finish_step(self.env_id, reward, terminated, truncated):
            env.reset()
            self._own[NEXT_EPISODE][1][:] = 0.0
            self._write_row(NEXT_EPISODE, 1)
            self._endpoint.finish_next(self.env_id, 1)

    def _any_flag(self, name: str, flags: Mapping[Any, Any]) -> bool:
        return any(
            flag_of(f"env {self.env_id}: the {name} of agent {agent!r}", flag)
            for agent, flag in flags.items()
        )

    def _reset(self, buffer: int, request: int) -> None:
        self._call_reset(request)
        self._own[buffer][1][:] = 0.0
        self._write_row(buffer, 0)
        self._endpoint.finish_reset(self.env_id, 1)

    def _is_dead(self) -> bool:
        return bool(self.env.agents) and not self._lives(self.env.agent_selection)

    def _lives(self, agent: Any) -> bool:
        return not (self.env.terminations[agent] or self.env.truncations[agent])

    def _add_rewards(self, total: Any) -> None:
        for agent, reward in self.env.rewards.items():
            value = reward_of(f"env {self.env_id}: the reward of agent {agent!r}", reward)
            total[self._number_of(agent)] += value

    def _number_of(self, agent: Any) -> int:
        number = self._number.get(agent)
        if number is None:
            raise BadValueError(
                f"env {self.env_id}: an agent",
                repr(agent),
                f"those of possible_agents: {', '.join(map(repr, self._number))}",
                "Name all agents in possible_agents",
            )
        return number

    def _write_row(self, buffer: int, which: int) -> float:
        """Writes the selected agent's row; returns its reward since its last row."""
        if not self.env.agents:  # all agents were removed at once
            for new, old in zip(self._views[buffer], self._views[self._buffer], strict=True):
                if new is not self._own[buffer][1]:
                    new[...] = old
            self._buffer = buffer
            agent, rewards, *_ = self._own[buffer]
            return float(rewards[agent])
        obs, reward, _, _, info = self.env.last()
        self._write[buffer](obs)
        self._buffer = buffer
        agent, _, *mask = self._own[buffer]
        agent[...] = self._number_of(self.env.agent_selection)
        if mask:
            mask[0][...] = obs["action_mask"]
        name = f"env {self.env_id}: the info of agent {self.env.agent_selection!r}"
        check_info(name, info, OWN_INFO_KEYS)
        if mask and "action_mask" in info:  # the mask is in both places
            info = {key: value for key, value in info.items() if key != "action_mask"}
        if info:
            self._set_info(which, info)
        return reward_of(f"env {self.env_id}: the reward of last()", reward)
