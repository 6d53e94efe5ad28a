# SPDX-License-Identifier: Apache-2.0
"""ClipReward: rewards between two limits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._wrapper import EpisodeWrapper, RowMasks


class ClipReward(EpisodeWrapper):
    """Rewards that are at least `low` and at most `high`; rewards in the info stay."""

    def __init__(self, env: Any, low: float = -1.0, high: float = 1.0) -> None:
        """Wraps a pool.

        Args:
            env: The pool.
            low: The least reward.
            high: The greatest reward.
        """
        super().__init__(env)
        self._low, self._high = low, high

    def _advance(self, result: tuple[Any, ...], rows: RowMasks) -> tuple[Any, ...]:
        obs, reward, *others = result
        return (obs, np.clip(reward, self._low, self._high), *others)
