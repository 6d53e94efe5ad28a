# SPDX-License-Identifier: Apache-2.0
"""ParallelRunner: a PettingZoo parallel environment; a row for each agent in a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ._messages import EnvDescription, WorkerSetup
from ._runner import Runner
from ._spaces import leaves_of, reader, writer
from ._values import (
    BadValueError,
    check_info,
    flag_of,
    mapping_of,
    reset_values,
    reward_of,
    step_values,
)


class ParallelRunner(Runner):
    """A PettingZoo parallel environment.

    An agent has a row if it is observed. An agent that acted and was removed without an observation
    also has a row, with its last observation, for its reward.
    """

    def describe(self) -> EnvDescription:
        """The spaces of the first agent; all agents must have the same."""
        return describe_agents(self.env)

    def open(self, endpoint: Any, setup: WorkerSetup) -> None:
        """Makes the functions that read and write the rows of players."""
        super().open(endpoint, setup)
        description = setup.description
        self._number = {agent: i for i, agent in enumerate(description.agents)}
        count = len(leaves_of(description.observation_space, ""))
        rows = range(len(description.agents))
        where = f"env {self.env_id}: an agent's observation"
        self._observations: list[list[Any]] = []
        self._writers: list[list[Callable[[Any], None]]] = []
        self._flags: list[list[Any]] = []
        for i in range(3):
            views = endpoint.states(self.env_id, i)
            self._observations.append(views[:count])
            self._flags.append(views[count:])
            self._writers.append(
                [
                    writer(description.observation_space, [v[r, ...] for v in views[:count]], where)
                    for r in rows
                ]
            )
        actions = endpoint.actions(self.env_id)
        self._readers = [
            reader(description.action_space, [v[r, ...] for v in actions]) for r in rows
        ]
        self._rewards = endpoint.rewards(self.env_id)
        self._rows: list[Any] = []  # the agents of the last result
        self._buffer = 0  # its buffer

    def _step(self, buffer: int) -> None:
        _, _, rows = self._endpoint.arguments_of(self.env_id)
        alive = set(self.env.agents)
        # Agents that have had their last row do not act any more.
        actions = {
            agent: read()
            for agent, read in zip(self._rows[:rows], self._readers, strict=False)
            if agent in alive
        }
        result = self.env.step(actions)
        names = ("the observations", "the rewards", "the terminations", "the truncations", "infos")
        obs, rewards, terminated, truncated, infos = (
            mapping_of(f"env {self.env_id}: {name} of step()", value)
            for name, value in zip(names, step_values(self.env_id, result), strict=True)
        )
        remaining = set(self.env.agents)
        unobserved = {
            agent
            for agent in actions
            if agent not in obs
            and (agent not in remaining or agent in rewards or agent in terminated)
        }
        agents = self._write_observations(buffer, obs, unobserved)
        ids, ended, cut = self._flags[buffer]
        for row, agent in enumerate(agents):
            where = f"env {self.env_id}, agent {agent!r}"
            ids[row] = self._number[agent]
            cut[row] = flag_of(f"{where}: truncated", truncated.get(agent, False))
            ended[row] = flag_of(f"{where}: terminated", terminated.get(agent, False)) or (
                agent not in remaining and not cut[row]  # an agent leaves for no other reason
            )
            self._rewards[row] = reward_of(f"{where}: the reward", rewards.get(agent, 0.0))
        self._set_infos(infos)
        # The pool has one end for all agents: it is terminated and truncated if agents ended in
        # both ways.
        over = not remaining
        is_terminated = over and bool(ended[: len(agents)].any())
        is_truncated = over and (bool(cut[: len(agents)].any()) or not is_terminated)
        self._endpoint.finish_players(self.env_id, len(agents), is_terminated, is_truncated)

    def _reset(self, buffer: int, request: int) -> None:
        result = self._call_reset(request)
        obs, infos = (
            mapping_of(f"env {self.env_id}: {name} of reset()", value)
            for name, value in zip(
                ("the observations", "infos"), reset_values(self.env_id, result), strict=True
            )
        )
        agents = self._write_observations(buffer, obs, ())
        ids, ended, cut = self._flags[buffer]
        ids[: len(agents)] = [self._number[agent] for agent in agents]
        ended[:] = cut[:] = False
        self._set_infos(infos)
        self._endpoint.finish_reset(self.env_id, len(agents))

    def _write_observations(
        self, buffer: int, observations: Mapping[Any, Any], unobserved: Iterable[Any]
    ) -> list[Any]:
        """Writes a row for each agent, and returns them.

        Args:
            buffer: The target buffer.
            observations: By agent.
            unobserved: Agents whose rows repeat their last observation.
        """
        # In the order of possible_agents, for any order of the dict.
        try:
            agents = sorted((*observations, *unobserved), key=self._number.__getitem__)
        except (KeyError, TypeError):
            raise BadValueError(
                f"env {self.env_id}: the agents that are observed",
                ", ".join(map(repr, observations)),
                f"those of possible_agents: {', '.join(map(repr, self._number))}",
                "Name all agents in possible_agents",
            ) from None
        for row, agent in enumerate(agents):
            if agent in observations:
                self._writers[buffer][row](observations[agent])
            else:
                before = self._rows.index(agent)
                for new, old in zip(
                    self._observations[buffer], self._observations[self._buffer], strict=True
                ):
                    new[row] = old[before]
        self._rows, self._buffer = agents, buffer
        return agents

    def _set_infos(self, infos: Mapping[Any, Any]) -> None:
        known = {}
        for agent, info in infos.items():
            check_info(f"env {self.env_id}: the info of agent {agent!r}", info)
            if info:
                known[str(agent)] = dict(info)
        if known:
            self._set_info(0, known)


def describe_agents(env: Any) -> EnvDescription:
    """The description of a PettingZoo environment. Its agents must have equal spaces.

    Raises:
        ValueError: If their spaces differ.
    """
    agents = tuple(env.possible_agents)
    metadata = getattr(env, "metadata", None) or {}
    return EnvDescription(
        name=metadata.get("name") or type(env.unwrapped).__name__,
        observation_space=_common_space(env, "observation_space", agents),
        action_space=_common_space(env, "action_space", agents),
        agents=agents,
        render_modes=tuple(metadata.get("render_modes", ())),
        render_fps=metadata.get("render_fps"),
    )


def _common_space(env: Any, kind: str, agents: Sequence[Any]) -> Any:
    found = [getattr(env, kind)(agent) for agent in agents]
    for agent, space in zip(agents, found, strict=True):
        if space != found[0]:
            raise ValueError(
                f"the {kind} of {agent!r} is {space}, and that of {agents[0]!r} {found[0]}: "
                f"the players of a pool must have the same; supersuit's pad_observations_v0 "
                f"and pad_action_space_v0 see to it"
            )
    return found[0]
