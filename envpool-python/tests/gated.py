# SPDX-License-Identifier: Apache-2.0
"""An environment whose steps end when a file appears."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Gated(gymnasium.Env[Any, Any]):
    """Removes the file, so that the next step waits again."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, gate: str) -> None:
        self._gate = Path(gate)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        while not self._gate.exists():
            time.sleep(0.001)
        self._gate.unlink()
        return np.ones(1, np.float32), 0.0, False, False, {}
