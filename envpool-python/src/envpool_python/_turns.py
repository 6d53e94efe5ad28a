# SPDX-License-Identifier: Apache-2.0
"""Turns: one environment of a worker, and what happens when it is asked for a step or a reset.

take(set, op) -> env.step or env.reset -> the slot in shared memory -> channel.finish_...
"""

from __future__ import annotations

import contextlib
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._infos import encode
from ._recipes import Described, Recipe, Serving
from ._spaces import leaves_of, reader, writer

_STEP, _RESET, _SEED = 0, 1, 2
_NEXT = 2  # the set of arrays for the start of an episode that follows in the same step


class Turn:
    """One environment.

    Attributes:
        env: What the recipe has made.
    """

    def __init__(self, recipe: Recipe, env_id: int, env: Any) -> None:
        """Not yet connected to shared memory."""
        self._recipe = recipe
        self._env_id = env_id
        self.env = env
        self._broken = False

    def describe(self) -> Described:
        """What the environment is like."""
        raise NotImplementedError

    def open(self, channel: Any, env_id: int, serving: Serving) -> None:
        """Connects it to its slot.

        Raises:
            ValueError: If its spaces are not those of the first environment.
        """
        own, wanted = self.describe(), serving.described
        for name in ("observation_space", "action_space", "agents"):
            if getattr(own, name) != getattr(wanted, name):
                raise ValueError(
                    f"the {name} of environment {env_id} is {getattr(own, name)}, and that of "
                    f"environment 0 {getattr(wanted, name)}: all of a pool must be alike"
                )
        self._channel = channel

    def take(self, set_: int, op: int) -> None:
        """Does what the slot asks for; an exception goes into the slot."""
        try:
            if op == _STEP:
                self._step(set_)
            else:
                self._reset(set_, op)
        except Exception:
            self._broken = True
            self._channel.fail(self._env_id, traceback.format_exc())

    def _step(self, set_: int) -> None:
        raise NotImplementedError

    def _reset(self, set_: int, op: int) -> None:
        raise NotImplementedError

    def _restart(self, op: int) -> tuple[Any, dict[Any, Any]]:
        """Calls `reset`, of a new environment if this one is broken."""
        options = self._channel.take_options(self._env_id)
        given = {"options": pickle.loads(options)} if options else {}
        if op == _RESET:
            return self.env.reset(**given)  # type: ignore[no-any-return]
        seed, life, _ = self._channel.turn(self._env_id)
        if self._broken:
            with contextlib.suppress(Exception):  # what is broken may not even close
                self.close()
            self.env = self._recipe.make(self._env_id)
            self._broken = False
        return self.env.reset(seed=_seed_of_life(seed, life), **given)  # type: ignore[no-any-return]

    def _tell(self, which: int, info: Mapping[Any, Any]) -> None:
        self._channel.set_info(self._env_id, which, encode(dict(info)))

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Calls `function(turn.env, *given, **named)`."""
        return function(self.env, *given, **named)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()


class Missing:
    """In the place of an environment that could not be made."""

    def __init__(self, channel: Any, env_id: int, problem: str) -> None:
        """Keeps why."""
        self._channel, self._env_id, self._problem = channel, env_id, problem

    def take(self, set_: int, op: int) -> None:
        """Says why."""
        self._channel.fail(self._env_id, self._problem)

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Says why."""
        raise RuntimeError(self._problem)

    def close(self) -> None:
        """Has nothing to close."""


def make_turn(recipe: Recipe, env_id: int) -> Turn:
    """Makes an environment: a `gymnasium.Env` or a PettingZoo parallel environment."""
    env = recipe.make(env_id)
    if hasattr(env, "possible_agents"):
        return Players(recipe, env_id, env)
    for name in ("reset", "step", "close", "observation_space", "action_space"):
        if not hasattr(env, name):
            raise TypeError(
                f"the function for environment {env_id} returned {env!r}, which has no {name!r}: "
                f"a gymnasium.Env or a pettingzoo.ParallelEnv was expected"
            )
    return Single(recipe, env_id, env)


def _seed_of_life(seed: int, life: int) -> int:
    """The seed of an environment that was made anew, so that it does not repeat what it did."""
    return int(np.random.SeedSequence([seed, life]).generate_state(1)[0]) if life else seed


def describe(env: Any) -> Described:
    """What a `gymnasium.Env` is like: spaces and metadata."""
    spec = getattr(env, "spec", None)
    metadata = getattr(env, "metadata", None) or {}
    return Described(
        name=spec.id if spec is not None else type(env.unwrapped).__name__,
        observation_space=env.observation_space,
        action_space=env.action_space,
        render_modes=tuple(metadata.get("render_modes", ())),
        render_fps=metadata.get("render_fps"),
        max_episode_steps=getattr(spec, "max_episode_steps", None),
        reward_threshold=getattr(spec, "reward_threshold", None),
        agent_num=int(getattr(env.unwrapped, "agent_num", 1)),
    )


class Single(Turn):
    """A `gymnasium.Env`."""

    def describe(self) -> Described:
        """Spaces and metadata."""
        return describe(self.env)

    def open(self, channel: Any, env_id: int, serving: Serving) -> None:
        """Makes the functions that read actions and write observations."""
        super().open(channel, env_id, serving)
        space = self.env.observation_space
        self._write = [writer(space, channel.states(env_id, i)) for i in range(3)]
        self._read = reader(self.env.action_space, channel.actions(env_id))
        self._finish = channel.finish_step

    def _step(self, set_: int) -> None:
        obs, reward, terminated, truncated, info = self.env.step(self._read())
        self._write[set_](obs)
        if info:
            self._tell(0, info)
        if self._finish(self._env_id, reward, terminated, truncated):
            obs, info = self.env.reset()
            self._write[_NEXT](obs)
            if info:
                self._tell(1, info)
            self._channel.finish_next(self._env_id, 1)

    def _reset(self, set_: int, op: int) -> None:
        obs, info = self._restart(op)
        self._write[set_](obs)
        if info:
            self._tell(0, info)
        self._channel.finish_reset(self._env_id, 1)


class Players(Turn):
    """A PettingZoo parallel environment: a row for each agent that is in a result."""

    def describe(self) -> Described:
        """The spaces of the first agent, which must be everybody's."""
        agents = tuple(self.env.possible_agents)
        observation, action = (
            self._common(kind, agents) for kind in ("observation_space", "action_space")
        )
        metadata = getattr(self.env, "metadata", None) or {}
        return Described(
            name=metadata.get("name") or type(self.env.unwrapped).__name__,
            observation_space=observation,
            action_space=action,
            agents=agents,
            render_modes=tuple(metadata.get("render_modes", ())),
            render_fps=metadata.get("render_fps"),
        )

    def _common(self, kind: str, agents: Sequence[Any]) -> Any:
        found = [getattr(self.env, kind)(agent) for agent in agents]
        for agent, space in zip(agents, found, strict=True):
            if space != found[0]:
                raise ValueError(
                    f"the {kind} of {agent!r} is {space}, and that of {agents[0]!r} {found[0]}: "
                    f"the players of a pool must have the same; supersuit's pad_observations_v0 "
                    f"and pad_action_space_v0 see to it"
                )
        return found[0]

    def open(self, channel: Any, env_id: int, serving: Serving) -> None:
        """Makes the functions that read and write the rows of players."""
        super().open(channel, env_id, serving)
        described = serving.described
        self._number = {agent: i for i, agent in enumerate(described.agents)}
        count = len(leaves_of(described.observation_space, ""))
        rows = range(len(described.agents))
        self._sets: list[tuple[list[Callable[[Any], None]], list[Any]]] = []
        for i in range(3):
            views = channel.states(env_id, i)
            obs, flags = views[:count], views[count:]
            writes = [writer(described.observation_space, [v[r, ...] for v in obs]) for r in rows]
            self._sets.append((writes, flags))
        actions = channel.actions(env_id)
        self._reads = [reader(described.action_space, [v[r, ...] for v in actions]) for r in rows]
        self._rewards = channel.rewards(env_id)
        self._acting: list[Any] = []

    def _put(
        self,
        set_: int,
        observations: Mapping[Any, Any],
        terminated: Mapping[Any, Any],
        truncated: Mapping[Any, Any],
    ) -> int:
        writes, (ids, ended, cut) = self._sets[set_]
        # In the order of possible_agents, whatever the order of the dict is.
        agents = sorted(observations, key=self._number.__getitem__)
        for row, agent in enumerate(agents):
            writes[row](observations[agent])
            ids[row] = self._number[agent]
            ended[row] = terminated.get(agent, False)
            cut[row] = truncated.get(agent, False)
        self._rows = agents
        # Those who have had their last row act no more.
        return len(agents)

    def _step(self, set_: int) -> None:
        _, _, rows = self._channel.turn(self._env_id)
        alive = set(self.env.agents)
        actions = {
            agent: read()
            for agent, read in zip(self._rows[:rows], self._reads, strict=False)
            if agent in alive
        }
        obs, rewards, terminated, truncated, infos = self.env.step(actions)
        players = self._put(set_, obs, terminated, truncated)
        for row, agent in enumerate(self._rows):
            self._rewards[row] = rewards.get(agent, 0.0)
        self._tell_all(infos)
        over = not self.env.agents
        # The pool knows one end for all: it is a truncation if nobody has reached a terminal state.
        is_terminal = over and any(terminated.get(agent, False) for agent in self._rows)
        self._channel.finish_players(self._env_id, players, is_terminal, over and not is_terminal)

    def _reset(self, set_: int, op: int) -> None:
        obs, infos = self._restart(op)
        players = self._put(set_, obs, {}, {})
        self._tell_all(infos)
        self._channel.finish_reset(self._env_id, players)

    def _tell_all(self, infos: Mapping[Any, Mapping[Any, Any]] | None) -> None:
        known = {str(agent): dict(info) for agent, info in (infos or {}).items() if info}
        if known:
            self._tell(0, known)
