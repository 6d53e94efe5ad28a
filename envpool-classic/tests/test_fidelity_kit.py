# SPDX-License-Identifier: Apache-2.0
"""`envpool.testing.fidelity` finds a task equal to its reference, and others unequal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool.testing.fidelity import Comparison, StepResult, play_beside

SEED = 7


class CartPole:
    """Gymnasium's, with one thing changed: the control."""

    def __init__(self, change: str = "") -> None:
        self.env: Any = gymnasium.make("CartPole-v1", disable_env_checker=True)
        self.change = change
        self.steps = 0

    def reset(self, *, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        return self.env.reset(seed=seed)  # type: ignore[no-any-return]

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Mapping[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        if self.steps == 9:
            if self.change == "observation":
                observation = np.nextafter(observation, np.float32(9))
            elif self.change == "observation double":
                observation = observation.astype(np.float64)
            elif self.change == "reward":
                reward += 1e-6
            elif self.change == "ends":
                terminated = True
            elif self.change == "infos unknown":
                info = {"unknown": 1}
            elif self.change == "infos elapsed_step":
                info = {"elapsed_step": 8}
        return observation, reward, terminated, truncated, info


def play(change: str, mode: str = "next_step", **options: Any) -> Comparison:
    with envpool.make("CartPole-v1", num_envs=2, seed=SEED, autoreset_mode=mode) as pool:
        references = [CartPole(change), CartPole()]
        return play_beside(pool, references, seed=SEED, **({"steps": 60} | options))


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_equal(mode: str) -> None:
    found = play("", mode)
    assert found.equal, found.differing
    resets = 0 if mode == "same_step" else found.counts["episodes"]
    assert 120 - resets <= found.counts["steps"] <= 120
    assert found.counts["episodes"] > 1
    assert set(found.columns().values()) - {"equal", "none"} == {
        str(found.counts["episodes"]),
        str(found.counts["steps"]),
    }


@pytest.mark.parametrize(
    "change",
    ["observation", "observation double", "reward", "ends", "infos unknown", "infos elapsed_step"],
)
def test_what_differs_is_found_with_its_place(change: str) -> None:
    """The controls: each changes one value of the ninth step of environment 0."""
    found = play(change, steps=9)
    name = "observation" if change == "observation double" else change
    assert set(found.differing) == {name}
    assert "in env 0, step 9" in found.differing[name]
    assert found.columns()[name.split()[0]] != "equal"
    assert not found.equal


def test_bits_are_compared() -> None:
    """Zeros have a sign and NaNs a payload; a tolerance is for numbers."""
    payload = np.array([0x7FC00001], np.uint32).view(np.float32)
    nan, zero = np.full(1, np.nan, np.float32), np.zeros(1, np.float32)
    for ours, theirs in ((zero, -zero), (nan, payload), (nan, zero)):
        comparison = Comparison(within={"tolerated": 1.0})
        for name in ("strict", "tolerated"):
            comparison.compare(name, ours, ours.copy())
            assert comparison.equal
        comparison.compare("strict", ours, theirs, "in env 0, step 0")
        comparison.compare("tolerated", ours, theirs)
        assert comparison.differing["strict"] == "1 of 2 differ, first in env 0, step 0"
        assert ("tolerated" in comparison.differing) == bool(np.isnan(ours))


def test_a_tolerance_is_by_name() -> None:
    within = {"observation": 1e-6}
    assert play("observation", steps=9, comparison=Comparison(within=within)).equal
    assert not play("reward", steps=9, comparison=Comparison(within=within)).equal
    skip = ("infos unknown",)
    assert play("infos unknown", steps=9, comparison=Comparison(skip=skip)).equal


def test_nothing_compared_is_not_equal() -> None:
    assert not Comparison().equal


def test_until_episodes_have_ended_and_more_is_compared() -> None:
    numbers = []

    def also(comparison: Comparison, rows: StepResult) -> None:
        numbers.append(rows.number)
        comparison.count("poles", len(rows.references))
        comparison.compare("angle", rows.observation[:, 2], np.ones(2, np.float32))

    found = play("", steps=None, episodes=3, also=also)
    assert found.counts["episodes"] >= 3
    assert numbers == list(range(len(numbers)))
    assert found.counts["poles"] == 2 * len(numbers)
    assert list(found.differing) == ["angle"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"steps": None}, "steps=None and episodes=None"),
        ({"episodes": 2}, "steps=60 and episodes=2"),
        ({"mode": "disabled"}, "autoreset_mode='disabled'"),
    ],
)
def test_refusals(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        play("", **options)
    with (
        envpool.make("CartPole-v1", num_envs=2) as pool,
        pytest.raises(ConfigError, match=r"1 references.*one for each"),
    ):
        play_beside(pool, [CartPole()], steps=1)
