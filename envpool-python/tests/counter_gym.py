# SPDX-License-Identifier: Apache-2.0
"""The environment of `pool_contract`, for Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Counter(gymnasium.Env[Any, Any]):
    """Counts its steps up to `goal` (0: for ever), and returns its last action.

    With `dice` it shows a number that it draws.
    """

    def __init__(self, goal: int = 10, dice: bool = False) -> None:
        self.observation_space = spaces.Box(0, 2**31 - 1, (2,), np.int32)
        self.action_space = spaces.Discrete(1000)
        self._goal, self._dice, self._count = goal, dice, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._count = 0
        return self._seen(0), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._count += 1
        over = 0 < self._goal <= self._count
        return self._seen(int(action)), float(self._count), over, False, {}

    def _seen(self, action: int) -> Any:
        draw = self.np_random.integers(2**31 - 1)
        return np.array([draw, 0] if self._dice else [self._count, action], np.int32)
