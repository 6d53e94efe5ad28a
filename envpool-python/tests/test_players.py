# SPDX-License-Identifier: Apache-2.0
"""PettingZoo's parallel environments as pools of several players, against a loop by hand."""

from __future__ import annotations

from typing import Any

import envpool_python
import numpy as np
import pytest
from envpool.errors import WorkerError
from gymnasium import spaces
from parties import Party

NUM_ENVS = 3
NAMES = Party().possible_agents


class Reference:
    """One party, stepped by hand, next-step autoreset."""

    def __init__(self, seed: int) -> None:
        self.env = Party()
        self.observed, self.infos = self.env.reset(seed=seed)
        self.over = False

    def step(self, actions: dict[str, int]) -> tuple[Any, ...]:
        if self.over:
            self.over = False
            self.observed, _ = self.env.reset()
            return self.observed, dict.fromkeys(self.observed, 0.0), {}, {}
        self.observed, rewards, over, cut, _ = self.env.step(actions)
        self.over = not self.env.agents
        return self.observed, rewards, over, cut


@pytest.mark.parametrize("num_workers", [1, 2])
def test_rows_are_those_of_the_agents_that_are_there(num_workers: int) -> None:
    parties = [Reference(seed=4 + i) for i in range(NUM_ENVS)]
    rng = np.random.default_rng(0)
    with envpool_python.make([Party] * NUM_ENVS, num_workers=num_workers) as pool:
        assert pool.action_space == spaces.Discrete(4)
        obs, info = pool.reset(seed=4)
        # The info of an agent is in the info of its environment, under its name.
        assert info["ann"]["guest"].all() and not info["host"]["guest"].any()
        ended = 0
        for _ in range(60):
            owners = info["players"]["env_id"]
            names = [NAMES[i] for i in info["players"]["id"]]
            done = info["players"]["terminated"] | info["players"]["truncated"]
            actions = rng.integers(0, 4, len(owners))
            obs, reward, terminated, truncated, info = pool.step(actions)
            rows = 0
            for i, party in enumerate(parties):
                mine = {
                    name: int(action)
                    for name, action, owner, is_done in zip(
                        names, actions, owners, done, strict=True
                    )
                    if owner == i and not is_done
                }
                observed, rewards, over, cut = party.step(mine)
                for name in sorted(observed, key=NAMES.index):
                    assert info["players"]["env_id"][rows] == i
                    assert NAMES[info["players"]["id"][rows]] == name
                    assert obs["left"][rows] == observed[name]["left"]
                    np.testing.assert_array_equal(obs["mood"][rows], observed[name]["mood"])
                    assert reward[rows] == rewards[name]
                    assert info["players"]["terminated"][rows] == over.get(name, False)
                    assert info["players"]["truncated"][rows] == cut.get(name, False)
                    rows += 1
                assert terminated[i] == (party.over and any(over.values()))
                assert truncated[i] == (party.over and any(cut.values()))
                ended += party.over
            assert rows == len(reward)
        assert ended > NUM_ENVS


class Duel(Party):
    """The host's action decides about ann, and bob always shares her fate.

    0: nothing; 1: she is killed, unobserved; 2: she disappears without any result; 3: all are
    killed, unobserved.
    """

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        kind = actions["host"]
        killed = {0: [], 1: ["ann"], 2: ["ann"], 3: list(self.agents)}[kind]
        self.agents = [agent for agent in self.agents if agent not in killed]
        observed = self._observe()
        rewards = {agent: 5.0 + len(agent) for agent in (*self.agents, *killed)}
        over = dict.fromkeys(killed, True)
        if kind == 2:
            del rewards["ann"]
            over = {}
        return observed, rewards, over, {}, {agent: {} for agent in observed}


@pytest.mark.parametrize(
    ("kind", "rewards", "over"),
    [
        (0, [9.0, 8.0, 8.0], [False, False, False]),
        (1, [9.0, 8.0, 8.0], [False, True, False]),
        (2, [9.0, 0.0, 8.0], [False, True, False]),
        (3, [9.0, 8.0, 8.0], [True, True, True]),
    ],
)
def test_agents_that_are_killed_unobserved(
    kind: int, rewards: list[float], over: list[bool]
) -> None:
    with envpool_python.make([Duel]) as pool:
        before, _ = pool.reset(seed=1)
        obs, reward, terminated, truncated, info = pool.step(np.array([kind, 0, 0]))
        assert info["players"]["id"].tolist() == [0, 1, 2]
        assert reward.tolist() == rewards
        assert info["players"]["terminated"].tolist() == over
        assert not info["players"]["truncated"].any()
        assert terminated.tolist() == [kind == 3] and not truncated.any()
        for row, is_over in enumerate(over):
            if is_over:  # the row shows the last observation
                np.testing.assert_array_equal(obs["mood"][row], before["mood"][row])
        if kind in (1, 2):
            obs, *_, info = pool.step(np.array([0, 0, 0]))
            assert info["players"]["id"].tolist() == [0, 2]


def test_agents_that_nobody_knows_are_explained() -> None:
    class Crowded(Party):
        def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
            obs, infos = super().reset(seed, options)
            return obs | {"eve": obs["ann"]}, infos

    pool = envpool_python.make([Crowded])
    with pytest.raises(WorkerError, match=r"'eve'.*those of possible_agents: 'host', 'ann'"):
        pool.reset()
    pool.close()


def test_frames_of_several_players() -> None:
    with envpool_python.make([Party] * 2, render_mode="rgb_array") as pool:
        pool.reset()
        frames = pool.render([0, 1])
        assert frames.shape == (2, 4, 6, 3) and (frames == 0).all()


def test_players_must_be_alike() -> None:
    class Uneven(Party):
        def action_space(self, agent: str) -> spaces.Space[Any]:
            return spaces.Discrete(2 if agent == "bob" else 3)

    with pytest.raises(WorkerError, match=r"the action_space of 'bob' is Discrete\(2\)"):
        envpool_python.make([Uneven])
