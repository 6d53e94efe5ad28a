# SPDX-License-Identifier: Apache-2.0
"""An environment that draws from every global generator, and a module that does when imported."""

from __future__ import annotations

import importlib
import random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

AT_IMPORT = float(np.random.normal())  # noqa: NPY002 (that is what is tested)
NAMES = ("argument", "at import", "random", "numpy", "torch", "numpy in reset or step")


class Drawing(gymnasium.Env[Any, Any]):
    """Observes drawn numbers: its argument's, at import, when it was made, and of this step."""

    observation_space = spaces.Box(-np.inf, np.inf, (len(NAMES),), np.float64)
    action_space = spaces.Discrete(2)

    def __init__(self, argument: float) -> None:
        torch = importlib.import_module("torch")
        numpy = np.random.normal()  # noqa: NPY002
        self._drawn = [argument, AT_IMPORT, random.random(), numpy, torch.rand()]

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self._observe(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._observe(), 0.0, False, False, {}

    def _observe(self) -> Any:
        return np.array([*self._drawn, np.random.normal()])  # noqa: NPY002
