# SPDX-License-Identifier: Apache-2.0
"""EpisodeStatistics: the return and length of every episode that ends."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np

from ._wrapper import PoolWrapper, Rows


class EpisodeStatistics(PoolWrapper):
    """Adds `info["episode"]` with the bool mask `info["_episode"]` when episodes end.

    As Gymnasium's vector wrapper RecordEpisodeStatistics does: "r" is the return, "l" the number of
    steps, "t" the seconds; 0 in the rows where no episode ended. Unlike it, it takes asynchronous
    pools and subsets, and counts games where lives end episodes: a task whose info has "terminated"
    and "reward", as Atari's, says by them when a game is over and what it is worth, whatever
    `episodic_life` and `reward_clip` show the agent.

    Attributes:
        return_queue: Returns of the last episodes.
        length_queue: Their lengths.
        time_queue: Their seconds.
        episode_count: How many ended so far.
    """

    def __init__(self, env: Any, buffer_length: int = 100, per_game: bool = True) -> None:
        """Begins with sums of zero.

        Args:
            env: What to wrap.
            buffer_length: How many episodes the queues keep.
            per_game: Whether games count where the info tells them; False: what the agent sees.
        """
        super().__init__(env)
        self._per_game = per_game
        self._returns = np.zeros(len(self), np.float64)
        self._lengths = np.zeros(len(self), np.int64)
        self._begun = np.full(len(self), time.perf_counter())
        self._ended = np.zeros(len(self), np.bool_)
        self.return_queue: deque[float] = deque(maxlen=buffer_length)
        self.length_queue: deque[int] = deque(maxlen=buffer_length)
        self.time_queue: deque[float] = deque(maxlen=buffer_length)
        self.episode_count = 0

    def _started(self, result: Any, start: Any = None) -> Any:
        ids = self._ids(result[1])
        self._clear(ids if start is None else ids[start])
        return super()._started(result, start)

    def async_reset(self, env_id: Any = None, seed: Any = None) -> None:
        """As `async_reset` of the pool; what was counted of its episodes is dropped."""
        super().async_reset(env_id, seed)
        self._clear(np.arange(len(self)) if env_id is None else np.atleast_1d(env_id))

    def _clear(self, ids: Any) -> None:
        self._returns[ids] = 0
        self._lengths[ids] = 0
        self._begun[ids] = time.perf_counter()
        self._ended[ids] = False

    def _advance(self, result: tuple[Any, ...], rows: Rows) -> tuple[Any, ...]:
        obs, reward, terminated, truncated, info = result
        score, over = reward, rows.over
        if self._per_game and "terminated" in info and "reward" in info:
            told = info
            score, game_over = told["reward"], told["terminated"] == 1
            if rows.final.any():
                last = info["final_info"]
                score = np.where(rows.final, last["reward"], score)
                game_over = np.where(rows.final, last["terminated"] == 1, game_over)
            over = rows.over & (game_over | truncated)
        ids, stepped = rows.ids, ~rows.start
        begins = rows.start & self._ended[ids]
        if begins.any():
            self._clear(ids[begins])
        self._returns[ids] += np.where(stepped, score, 0)
        self._lengths[ids] += stepped
        if over.any():
            seconds = np.round(time.perf_counter() - self._begun[ids], 6)
            info["episode"] = {
                "r": np.where(over, self._returns[ids], 0.0),
                "l": np.where(over, self._lengths[ids], 0),
                "t": np.where(over, seconds, 0.0),
            }
            info["_episode"] = over
            ended = ids[over]
            self.return_queue.extend(self._returns[ended].tolist())
            self.length_queue.extend(self._lengths[ended].tolist())
            self.time_queue.extend(seconds[over].tolist())
            self.episode_count += len(ended)
            self._ended[ended] = True
            if not self._next_step:
                self._clear(ended)
        return obs, reward, terminated, truncated, info
