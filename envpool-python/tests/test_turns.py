# SPDX-License-Identifier: Apache-2.0
"""PettingZoo's environments whose agents take turns, against PettingZoo's own loop."""

from __future__ import annotations

import importlib
from collections.abc import Generator
from typing import Any

import envpool_python
import numpy as np
import pytest
from alignment import assert_equal
from envpool.errors import ConfigError, WorkerError
from gymnasium import spaces
from parties import Party
from pettingzoo import AECEnv

NUM_ENVS = 3


class Knockout(AECEnv[str, Any, int]):
    """Three agents; action 0 kills the next one who lives, 1 does nothing, and 12 steps are all."""

    metadata = {"name": "knockout", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["ann", "bob", "eve"]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Box(0, 99, (2,), np.int64)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(4)

    def observe(self, agent: str) -> Any:
        return np.array([self._steps, self.possible_agents.index(agent)])

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = self._zeros()
        self._cumulative_rewards = self._zeros()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"name": agent} for agent in self.agents}
        self._steps = 0
        self.agent_selection = "ann"

    def _zeros(self) -> dict[str, float]:
        return dict.fromkeys(self.agents, 0.0)

    def _next(self, agent: str) -> str:
        return self.agents[(self.agents.index(agent) + 1) % len(self.agents)]

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._zeros()
        self.rewards[agent] = 0.5
        victim = self._next(agent)
        if action == 0 and not self.terminations[victim]:
            self.terminations[victim] = True
            self.rewards[agent], self.rewards[victim] = 2.0, -3.0
            alive = [name for name in self.agents if not self.terminations[name]]
            if len(alive) == 1:
                self.terminations[agent] = True
        if self._steps == 12:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        alive = [a for a in self.agents if not (self.terminations[a] or self.truncations[a])]
        self.agent_selection = self._next(agent)
        while alive and self.agent_selection not in alive:
            self.agent_selection = self._next(self.agent_selection)
        self._deads_step_first()


GAMES = {
    "tictactoe": "tictactoe.tictactoe",
    "connect_four": "connect_four.connect_four",
    "chess": "chess.chess",
    "leduc_holdem": "rlcard_envs.leduc_holdem",
    "knockout": "",
}


def make_game(name: str) -> Any:
    if name == "knockout":
        return Knockout()
    return importlib.import_module(f"pettingzoo.classic.{GAMES[name]}").env()


def play(env: Any, seed: int) -> Generator[tuple[Any, ...], int, None]:
    """PettingZoo's own loop. Yields the acting agent and its values; is sent the action."""
    env.reset(seed=seed)
    while True:
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        ended = False
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, _ = env.last()
            alive = [a for a in env.agents if not (env.terminations[a] or env.truncations[a])]
            if not alive and not ended:
                ended = True
                flags = any(env.terminations.values()), any(env.truncations.values())
                yield agent, obs, reward, rewards, *flags
            if terminated or truncated:
                env.step(None)
            else:
                action = yield agent, obs, reward, rewards, False, False
                rewards = dict.fromkeys(env.possible_agents, 0.0)
                env.step(action)
            for name, value in env.rewards.items():
                rewards[name] += value
        env.reset()


@pytest.mark.parametrize("name", GAMES)
def test_rows_are_those_of_the_agent_to_act(name: str) -> None:
    references = [play(make_game(name), seed=4 + i) for i in range(NUM_ENVS)]
    expected = [next(reference) for reference in references]
    names = make_game(name).possible_agents
    rng = np.random.default_rng(0)
    steps, ended = 120, 0
    with envpool_python.make(
        [lambda: make_game(name)] * NUM_ENVS, env_kind="aec", num_workers=2
    ) as pool:
        obs, info = pool.reset(seed=4)
        reward, flags = np.zeros(NUM_ENVS), (np.zeros(NUM_ENVS, np.bool_),) * 2
        for step in range(steps):
            actions = np.zeros(NUM_ENVS, np.int64)
            for i, (agent, its, its_reward, rewards, terminated, truncated) in enumerate(expected):
                where = f"{name}, step {step}, env {i}"
                assert names[info["agent"][i]] == agent, where
                row = {k: v[i] for k, v in obs.items()} if isinstance(obs, dict) else obs[i]
                assert_equal(row, its, where)
                assert reward[i] == np.float32(its_reward), where
                assert info["rewards"][i].tolist() == [rewards[a] for a in names], where
                assert (flags[0][i], flags[1][i]) == (terminated, truncated), where
                ended += terminated or truncated
                legal = np.arange(4)
                if isinstance(obs, dict):
                    mask = info["action_mask"][i]
                    np.testing.assert_array_equal(mask, its["action_mask"])
                    legal = np.flatnonzero(mask) if mask.any() else legal
                else:
                    assert info["name"][i] == agent
                actions[i] = rng.choice(legal)
            obs, reward, *flags, info = pool.step(actions)
            expected = [r.send(int(a)) for r, a in zip(references, actions, strict=True)]
    assert ended >= (0 if name == "chess" else NUM_ENVS)


def test_the_next_episode_begins_in_the_same_step() -> None:
    with envpool_python.make([Knockout], autoreset_mode="same_step") as pool:
        pool.reset(seed=1)
        for action in (1, 1, 0):  # eve kills ann
            obs, reward, terminated, truncated, info = pool.step(np.array([action]))
        assert info["agent"] == 1 and info["rewards"].tolist() == [[-3.0, 0.0, 2.0]]
        assert reward[0] == 0.5 and not terminated[0]  # bob's reward since he acted
        obs, reward, terminated, truncated, info = pool.step(np.array([0]))  # bob kills eve
        assert terminated[0] and not truncated[0]
        assert info["final_info"]["rewards"].tolist() == [[0.0, 2.0, -3.0]]
        assert obs.tolist() == [[0, 0]] and info["agent"] == 0
        assert info["rewards"].tolist() == [[0.0, 0.0, 0.0]]


def test_an_end_of_both_kinds_has_both_flags() -> None:
    """Eve kills ann in the step that is the last one allowed."""
    with envpool_python.make([Knockout]) as pool:
        pool.reset(seed=1)
        for step in range(12):
            _, _, terminated, truncated, _ = pool.step(np.array([0 if step == 11 else 1]))
        assert terminated[0] and truncated[0]


def test_what_is_of_another_kind_is_explained() -> None:
    with pytest.raises(WorkerError, match=r"has no 'last': a pettingzoo.AECEnv was expected"):
        envpool_python.make([Party], env_kind="aec")
    with pytest.raises(ConfigError, match=r"env_kind='turns'.*'parallel', 'aec'"):
        envpool_python.make([Party], env_kind="turns")
