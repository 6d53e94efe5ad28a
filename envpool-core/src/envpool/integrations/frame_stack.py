# SPDX-License-Identifier: Apache-2.0
"""FrameStack: the last few observations as a single one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from ..errors import ConfigError
from ._wrapper import EpisodeWrapper, RowMasks, map_rows


class FrameStack(EpisodeWrapper):
    """Observations of shape (size, ...): the last `size` of an episode, the newest last.

    At the start of an episode the first observation is repeated, as in Gymnasium's
    FrameStackObservation.
    """

    def __init__(self, env: Any, size: int) -> None:
        """Wraps a pool.

        Args:
            env: The pool; its observations are a single array of numbers.
            size: The number of observations in a stack.

        Raises:
            ConfigError: If observations are several arrays, or `size` is below 1.
        """
        super().__init__(env)
        if size < 1:
            raise ConfigError(f"FrameStack(size={size})", str(size), "1 or more", "Correct it")
        space = self._require_box()
        self._frames = np.zeros((len(self), size, *space.shape), space.dtype)
        low, high = (np.repeat(bound[None], size, 0) for bound in (space.low, space.high))
        self._set_space(gymnasium.spaces.Box(low, high, dtype=space.dtype.type))

    def _observe(self, obs: Any, rows: RowMasks) -> Any:
        frames = self._frames[rows.ids]  # a copy: the returned array belongs to the caller
        if rows.is_repeated.any():
            moved = ~(rows.is_reset_row | rows.is_repeated)
            frames[moved] = np.concatenate([frames[moved, 1:], obs[moved][:, None]], axis=1)
        else:
            frames[:, :-1] = frames[:, 1:]
            frames[:, -1] = obs
        frames[rows.is_reset_row] = obs[rows.is_reset_row][:, None]
        self._frames[rows.ids] = frames
        return frames

    def _observe_final(self, obs: Any, rows: RowMasks) -> Any:
        before = self._frames[rows.ids]

        def stacked(last: Any) -> Any:
            older = before if len(last) == len(before) else before[rows.has_final_obs]
            return np.concatenate([older[:, 1:], last[:, None]], axis=1)

        return map_rows(stacked, obs, rows.has_final_obs)
