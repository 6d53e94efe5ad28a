# SPDX-License-Identifier: Apache-2.0
"""Environments for tests: every space, uneven episodes, and infos of every type."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

BOX = spaces.Box(-1, 1, (3,), np.float32)
SPACES: dict[str, spaces.Space[Any]] = {
    "box": BOX,
    "image": spaces.Box(0, 255, (4, 5, 3), np.uint8),
    "double": spaces.Box(np.array([-1.0, -np.inf]), np.array([np.inf, 2.0]), dtype=np.float64),
    "scalar": spaces.Box(0, 1, (), np.float32),
    "discrete": spaces.Discrete(5),
    "from_three": spaces.Discrete(4, start=3),
    "multi_discrete": spaces.MultiDiscrete([2, 3, 4]),
    "table": spaces.MultiDiscrete([[2, 3], [4, 5]]),
    "multi_binary": spaces.MultiBinary(4),
    "text": spaces.Text(6, min_length=1),
    "dict": spaces.Dict({"a": BOX, "b": spaces.Dict({"c": spaces.Discrete(3), "d": BOX})}),
    "tuple": spaces.Tuple((BOX, spaces.Discrete(4), spaces.Tuple((spaces.MultiBinary(2),)))),
    "mixed": spaces.Dict({"t": spaces.Tuple((spaces.Text(3), BOX)), "n": spaces.Discrete(2)}),
}


class Sampler(gymnasium.Env[Any, Any]):
    """Observes and expects values of any spaces; episodes end and are cut off by its own dice."""

    def __init__(self, observation: str = "box", action: str = "discrete", infos: bool = True):
        self.observation_space = copy.deepcopy(SPACES[observation])  # it has a generator
        self.action_space = copy.deepcopy(SPACES[action])
        self._infos = infos
        self._sum = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        self._sum = 0.0
        return self.observation_space.sample(), self._info(True)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyncVectorEnv gives scalars in place of arrays ()
            assert self.action_space.contains(action), (self.action_space, action)
        self._sum += weight(action)
        dice = self.np_random.random()
        return (
            self.observation_space.sample(),
            self._sum,
            dice < 0.1,
            dice > 0.85,
            self._info(False),
        )

    def _info(self, first: bool) -> dict[str, Any]:
        if not self._infos:
            return {}
        dice = self.np_random.random()
        info: dict[str, Any] = {"dice": dice, "whole": int(dice * 10), "first": first}
        if dice < 0.5:
            info["array"] = np.full((2, 2), dice, np.float32)
            info["nested"] = {"scalar": np.float32(dice), "deep": {"flag": dice < 0.2}}
        if dice < 0.2:
            info["name"] = f"dice {dice}"
        if dice > 0.9:
            info["long"] = np.arange(1000, dtype=np.int16)
        return info


class Steady(gymnasium.Env[Any, Any]):
    """Returns the same values in every step."""

    observation_space = BOX
    action_space = spaces.Discrete(2)

    def __init__(self, infos: bool) -> None:
        self._info = {"speed": 1.5, "at": np.arange(3), "by": {"wind": True}} if infos else {}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.zeros(3, np.float32), self._info

    def step(self, action: Any) -> Any:
        return np.zeros(3, np.float32), 0.0, False, False, self._info


def weight(action: Any) -> float:
    """A number that differs for different actions."""
    if isinstance(action, dict):
        return sum(weight(value) for value in action.values())
    if isinstance(action, tuple):
        return sum((i + 1) * weight(value) for i, value in enumerate(action))
    if isinstance(action, str):
        return float(sum(map(ord, action)))
    flat = np.asarray(action, np.float64).ravel()
    return float(flat @ np.arange(1, len(flat) + 1))
