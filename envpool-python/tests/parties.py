# SPDX-License-Identifier: Apache-2.0
"""A PettingZoo parallel environment whose agents leave one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv


class Party(ParallelEnv[str, Any, int]):
    """Guests stay for as many steps as their dice say; the host leaves last, or after 8 steps."""

    metadata = {"name": "party", "render_modes": ["rgb_array"]}  # noqa: RUF012

    def __init__(self) -> None:
        self.possible_agents = ["host", "ann", "bob"]
        self.render_mode = "rgb_array"
        self._rng = np.random.default_rng(0)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Dict(
            {"left": spaces.Discrete(10), "mood": spaces.Box(-9, 9, (2,), np.float32)}
        )

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(4)

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self._left = {agent: int(self._rng.integers(1, 9)) for agent in self.agents}
        self._left["host"] = 1 + max(self._left.values())
        self._steps = 0
        return self._observe(), {agent: {"guest": agent != "host"} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        assert actions.keys() == set(self.agents), (actions, self.agents)
        self._steps += 1
        for agent in self.agents:
            self._left[agent] -= 1
        rewards = {agent: float(actions[agent] * (1 + self._left[agent])) for agent in self.agents}
        over = {agent: self._left[agent] == 0 for agent in self.agents}
        cut = dict.fromkeys(self.agents, self._steps == 8)
        observed = self._observe()
        self.agents = [agent for agent in self.agents if not (over[agent] or cut[agent])]
        return observed, rewards, over, cut, {agent: {} for agent in observed}

    def _observe(self) -> dict[str, Any]:
        return {
            agent: {
                "left": self._left[agent],
                "mood": self._rng.normal(size=2).astype(np.float32).clip(-9, 9),
            }
            for agent in reversed(self.agents)
        }

    def render(self) -> Any:
        return np.full((4, 6, 3), self._steps, np.uint8)

    def close(self) -> None:
        """Does nothing."""
