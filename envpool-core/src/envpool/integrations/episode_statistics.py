# SPDX-License-Identifier: Apache-2.0
"""EpisodeStatistics: the return and length of every episode that ends."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np

from ._wrapper import EpisodeWrapper, RowMasks


class EpisodeStatistics(EpisodeWrapper):
    """Adds `info["episode"]` with the bool mask `info["_episode"]` when episodes end.

    Works as Gymnasium's vector wrapper RecordEpisodeStatistics: "r" is the return, "l" the number
    of steps, "t" the seconds; 0 in the rows where no episode ended. Unlike that wrapper, this
    wrapper takes asynchronous pools and subsets, and counts games where lives end episodes: if a
    task's info has "terminated" and "reward", as Atari's, these give the end and the reward of a
    game, with any values of `episodic_life` and `reward_clip`.

    Attributes:
        return_queue: Returns of the last episodes.
        length_queue: Their lengths.
        time_queue: Their seconds.
        episode_count: The number of episodes that ended so far.
    """

    def __init__(self, env: Any, buffer_length: int = 100, per_game: bool = True) -> None:
        """Begins with sums of zero.

        Args:
            env: The pool.
            buffer_length: The number of episodes in the queues.
            per_game: Whether games count if the info has them; False: the agent's episodes count.
        """
        super().__init__(env)
        self._per_game = per_game
        self._returns = np.zeros(len(self), np.float64)
        self._lengths = np.zeros(len(self), np.int64)
        self._begun = np.full(len(self), time.perf_counter())
        self.return_queue: deque[float] = deque(maxlen=buffer_length)
        self.length_queue: deque[int] = deque(maxlen=buffer_length)
        self.time_queue: deque[float] = deque(maxlen=buffer_length)
        self.episode_count = 0

    def _cut(self, ids: Any) -> None:
        self._returns[ids] = 0
        self._lengths[ids] = 0
        self._begun[ids] = time.perf_counter()

    def _advance(self, result: tuple[Any, ...], rows: RowMasks) -> tuple[Any, ...]:
        obs, reward, terminated, truncated, info = result
        score, over = reward, rows.episode_ended
        if self._per_game and "terminated" in info and "reward" in info:
            told = info
            score, game_over = told["reward"], told["terminated"] == 1
            if rows.has_final_obs.any():
                last = info["final_info"]
                score = np.where(rows.has_final_obs, last["reward"], score)
                game_over = np.where(rows.has_final_obs, last["terminated"] == 1, game_over)
            over = rows.episode_ended & (game_over | truncated)
        ids, positions = rows.ids, rows.positions
        if np.count_nonzero(rows.is_reset_row):
            self._returns[positions] += np.where(rows.is_reset_row, 0, score)
            self._lengths[positions] += ~rows.is_reset_row
        else:
            self._returns[positions] += score
            self._lengths[positions] += 1
        where = over.nonzero()[0]
        if len(where) > 0:
            info["episode"] = self._tell(len(ids), where, ids[where])
            info["_episode"] = over
        return obs, reward, terminated, truncated, info

    def _tell(self, rows: int, where: Any, ended: Any) -> dict[str, Any]:
        """The value of "episode" for environments whose episode ended; fills the queues."""
        lasted = (time.perf_counter() - self._begun[ended]).round(6)
        told = {}
        for name, queue, values in (
            ("r", self.return_queue, self._returns[ended]),
            ("l", self.length_queue, self._lengths[ended]),
            ("t", self.time_queue, lasted),
        ):
            queue.extend(values.tolist())
            told[name] = np.zeros(rows, values.dtype)
            told[name][where] = values
        self.episode_count += len(ended)
        self._cut(ended)
        return told
