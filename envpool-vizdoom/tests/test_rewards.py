# SPDX-License-Identifier: Apache-2.0
"""Rewards by game variables, against EnvPool's rule, which is written here a second time."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool_vizdoom import action_meanings
from references import FRAME_SKIP, SCENARIOS, doom_game, variable

_COUNTERS = ("HITCOUNT", "DAMAGECOUNT", "DEATHCOUNT")


class _Rule:
    """The reward of a step from the variables before and after it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.rewards = options["reward_config"]
        self.weapons = options["selected_weapon_reward_config"]
        self.duration = options["weapon_duration"]

    def begin(self, values: dict[str, float]) -> None:
        self.base = {name: values[name] for name in _COUNTERS}
        self.last = {name: value - self.base.get(name, 0) for name, value in values.items()}
        self.weapon, self.held = values["SELECTED_WEAPON"], 1

    def step(self, values: dict[str, float]) -> float:
        values = {name: value - self.base.get(name, 0) for name, value in values.items()}
        total = 0.0
        for name, value in values.items():
            if name not in self.rewards:
                continue
            up, down = self.rewards[name]
            change = value - self.last[name]
            change = min(change, {"DAMAGECOUNT": 200, "HITCOUNT": 5}.get(name, np.inf))
            total += change * up if change >= 0 else -change * down
        self.last = values
        self.held = self.held + 1 if values["SELECTED_WEAPON"] == self.weapon else 1
        self.weapon = values["SELECTED_WEAPON"]
        if self.held >= self.duration and values["SELECTED_WEAPON_AMMO"] > 0:
            total += self.weapons.get(int(self.weapon), 0)
        return total


@pytest.mark.parametrize(
    ("task", "cfg", "options"),
    [
        ("Deathmatch-v1", "deathmatch", {}),
        ("DefendTheCenter-v1", "defend_the_center", {"weapon_duration": 2}),
        ("HealthGathering-v1", "health_gathering", {"reward_config": {"HEALTH": (2.0, -3.0)}}),
        (
            "Basic-v1",
            "basic",
            {"selected_weapon_reward_config": {2: 0.25}, "reward_config": {"AMMO2": (1.0, 5.0)}},
        ),
    ],
)
def test_rewards_follow_the_rule(task: str, cfg: str, options: dict[str, Any]) -> None:
    with (
        envpool.make(task, num_envs=1, seed=9, max_episode_steps=10**6, **options) as pool,
        doom_game(SCENARIOS / f"{cfg}.cfg", 9, {"episode_timeout": 0}) as game,
    ):
        names = action_meanings(pool.spec)
        rule = _Rule(pool.spec.options)
        _, info = pool.reset()
        shown = [name for name in info if name.isupper()]

        def values() -> dict[str, float]:
            return {name: variable(game, name) for name in shown}

        rule.begin(values())
        random = np.random.default_rng(3)
        rewards, ends = set(), 0
        for _ in range(150):
            action = random.integers(0, 2, len(names)).astype(float)
            game.make_action(list(action), FRAME_SKIP)
            expected = rule.step(values())
            _, reward, terminated, _, _ = pool.step(action[None])
            # The pool sums in float32: a dozen numbers, none much larger than the sum.
            assert reward[0] == pytest.approx(expected, rel=1e-5, abs=1e-6)
            rewards.add(round(expected, 6))
            if terminated[0]:
                ends += 1
                game.new_episode()
                rule.begin(values())
                _, reward, *_ = pool.step(action[None])
                assert reward[0] == 0
        assert len(rewards) > 1


def test_the_last_step_has_its_reward_and_its_info() -> None:
    # Rockets at the player's own feet: the last step has a negative reward and no health.
    with envpool.make("TakeCover-v1", num_envs=1, seed=1, max_episode_steps=10**6) as pool:
        obs, _ = pool.reset()
        for _ in range(2000):
            before = obs
            obs, reward, terminated, _, info = pool.step(np.zeros((1, 2)))
            if terminated[0]:
                break
        assert terminated[0]
        assert info["HEALTH"][0] <= 0 and info["DEATHCOUNT"][0] == 1
        assert reward[0] < -0.75
        assert not np.array_equal(before[0, -3:], obs[0, -3:])


def test_the_scenario_can_end_an_episode_by_its_time() -> None:
    options = {"num_envs": 1, "scenario_timeout": True, "reward": "scenario", "frame_skip": 100}
    with envpool.make("Basic-v1", **options) as pool:
        pool.reset()
        total = 0.0
        for _ in range(3):
            _, reward, terminated, truncated, _ = pool.step(np.zeros((1, 3)))
            total += reward[0]
        assert truncated[0] and not terminated[0]
        assert total == -300  # a living reward of -1 for each of 300 tics
