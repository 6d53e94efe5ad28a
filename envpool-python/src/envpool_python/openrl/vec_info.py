# SPDX-License-Identifier: Apache-2.0
"""Collectors of the figures of VecMonitorWrapper."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np


class BaseVecInfo(ABC):
    """Collects the infos of steps, and computes figures from them."""

    def __init__(self, parallel_env_num: int, agent_num: int) -> None:
        """Keeps the numbers of environments and agents."""
        self.parallel_env_num = parallel_env_num
        self.agent_num = agent_num

    @abstractmethod
    def append(self, info: Sequence[dict[str, Any]]) -> None:
        """Takes the infos of one step of all environments."""

    @abstractmethod
    def statistics(self, buffer: Any = None) -> dict[str, Any]:
        """Figures since the last `reset`."""

    @abstractmethod
    def reset(self) -> None:
        """Starts again from zero."""


class EpisodeInfo(BaseVecInfo):
    """Returns and lengths of episodes that have ended, and steps per second.

    An info of a step in which an episode ended has "episode", with its return "r" and its length
    "l"; `VecMonitorWrapper` puts it there.
    """

    def __init__(self, parallel_env_num: int, agent_num: int = 1) -> None:
        """Starts to count."""
        super().__init__(parallel_env_num, agent_num)
        self.reset()

    def append(self, info: Sequence[dict[str, Any]]) -> None:
        """Takes the infos of one step of all environments."""
        self._steps += len(info)
        for one in info:
            if "episode" in one:
                self._returns.append(float(one["episode"]["r"]))
                self._lengths.append(int(one["episode"]["l"]))

    def statistics(self, buffer: Any = None) -> dict[str, Any]:
        """Figures since the last `reset`.

        Returns:
            "FPS", environment steps per second; "episodes", the number of ended episodes; and with
            at least one, "episode_rewards/mean", ".../min", ".../max" and "episode_lengths/mean".
        """
        del buffer
        figures: dict[str, Any] = {
            "FPS": self._steps / max(time.perf_counter() - self._since, 1e-9),
            "episodes": len(self._returns),
        }
        if self._returns:
            figures["episode_rewards/mean"] = float(np.mean(self._returns))
            figures["episode_rewards/min"] = min(self._returns)
            figures["episode_rewards/max"] = max(self._returns)
            figures["episode_lengths/mean"] = float(np.mean(self._lengths))
        return figures

    def reset(self) -> None:
        """Starts again from zero."""
        self._steps = 0
        self._returns: list[float] = []
        self._lengths: list[int] = []
        self._since = time.perf_counter()
