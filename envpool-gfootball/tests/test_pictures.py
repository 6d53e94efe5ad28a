# SPDX-License-Identifier: Apache-2.0
"""Frames show the match."""

from __future__ import annotations

import envpool
import numpy as np
from numpy.typing import NDArray

_RED, _BLUE, _YELLOW, _WHITE = (206, 48, 48), (42, 86, 196), (255, 222, 66), (255, 255, 255)


def _count(frame: NDArray[np.uint8], color: tuple[int, int, int]) -> int:
    return int((frame == color).all(-1).sum())


def _pixel(place: NDArray[np.float32]) -> tuple[int, int]:
    """Row and column, at 5 pixels per metre below a score of 20 pixels."""
    return round(220 + 5 * 83.6 * float(place[1])), round(300 + 5 * 54.4 * float(place[0]))


def test_players_are_where_observations_have_them() -> None:
    options = {"observation": "raw", "render_mode": "rgb_array", "seed": 3}
    with envpool.make("gfootball/5_vs_5-v1", **options) as pool:
        obs, _ = pool.reset()
        for _ in range(20):
            obs, *_ = pool.step(np.array([5]))
        frame = pool.render()[0]
        assert frame.shape == (420, 600, 3)
        for color, team in ((_RED, "left_team"), (_BLUE, "right_team")):
            for place in obs[team][0]:
                row, column = _pixel(place)
                near = frame[row - 5 : row + 6, column - 5 : column + 6]
                assert _count(near, color) > 30
        row, column = _pixel(obs["left_team"][0, obs["active"][0]])
        near = frame[row - 10 : row + 11, column - 10 : column + 11]
        assert _count(near, _YELLOW) > 20
        assert _count(frame, _YELLOW) < 120  # of one player
        small = envpool.make("gfootball/5_vs_5-v1", render_width=150, **options)
        small.reset()
        assert small.render()[0].shape == (105, 150, 3)
        small.close()


def test_the_score_is_written() -> None:
    options = {"render_mode": "rgb_array", "game_duration": 300}
    with envpool.make("gfootball/academy_empty_goal_close-v1", seed=0, **options) as pool:
        pool.reset()
        before = pool.render()[0][:20, 270:330].copy()
        for step in range(40):
            *_, info = pool.step(np.array([5 if step < 5 else 12]))
            if info["score"][0, 0] == 1:
                break
        after = pool.render()[0][:20, 270:330]
        assert info["score"][0].tolist() == [1, 0]
        assert _count(before, _WHITE) - _count(after, _WHITE) == 4 * (12 - 8)  # a 0 and a 1
