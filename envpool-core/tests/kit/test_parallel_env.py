# SPDX-License-Identifier: Apache-2.0
"""PettingZoo's parallel view of a task whose players come and go."""

from __future__ import annotations

import sys

import envpool
import numpy as np
import pytest
from envpool.errors import ActionError, MissingPackageError
from envpool.integrations import parallel_env
from envpool.integrations._base import view_class
from envpool.integrations.pettingzoo import ParallelMethods


@pytest.fixture
def env():
    made = view_class("View", ParallelMethods, object)(
        "Team-v0", {"max_num_players": 3, "length": 6}
    )
    yield made
    made.close()


def actions(env, x=0.5):
    return {
        agent: {"move": np.array([x, 0.0]), "wind": {"from": 1 + number}}
        for number, agent in enumerate(env.agents)
    }


def test_spaces_are_one_players(env):
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert sorted(env.observation_space("player_0")) == ["at", "clock"]
    assert env.observation_space("player_0")["at"].shape == (2,)
    assert env.action_space("player_1") is env.action_space("player_1")
    assert env.action_space("player_1")["move"].shape == (2,)


def test_an_episode_is_that_of_the_pool(env):
    pool = envpool.make("Team-v0", max_num_players=3, length=6, autoreset_mode="disabled")
    obs, infos = env.reset(seed=4)
    wanted, info = pool.reset(seed=4)
    live = [f"player_{i}" for i in range(len(info["players"]["env_id"]))]
    for number in range(6):
        assert env.agents == live
        assert infos.keys() == obs.keys()
        players = len(live)
        sent = {
            "players.move": np.tile([0.5, 0.0], (players, 1)),
            "players.env_id": np.zeros(players, int),
            "wind.from": [1],
        }
        if not live:
            with pytest.raises(ActionError, match=r"Call reset\(\)"):
                env.step({})
            break
        obs, rewards, terminations, truncations, infos = env.step(actions(env))
        wanted, _, terminated, truncated, info = pool.step(sent)
        before, live = live, [f"player_{i}" for i in range(len(info["players"]["env_id"]))]
        for row, agent in enumerate(live):
            np.testing.assert_array_equal(obs[agent]["at"], wanted["players"]["at"][row])
            assert obs[agent]["clock"] == wanted["clock"][0]
            assert (terminations[agent], truncations[agent]) == (terminated[0], truncated[0])
        for agent in {*before} - {*live}:  # agents that have left
            assert terminations[agent] and rewards[agent] == 0
        assert obs.keys() == rewards.keys() == {*before} | {*live}
        if number == 5:
            assert env.agents == []


def test_every_agent_needs_an_action(env):
    env.reset(seed=4)
    with pytest.raises(ActionError, match="no action for player_0"):
        env.step({})


def test_without_pettingzoo(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(MissingPackageError, match="pip install pettingzoo"):
        parallel_env("Team-v0")
