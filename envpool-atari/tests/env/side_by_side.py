# SPDX-License-Identifier: Apache-2.0
"""A pool of one environment and one Gymnasium environment, played side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from on_arm import assert_same_frames

SEED = 9


def play(pool: Any, env: Any, steps: int) -> Iterator[tuple[int, Any, Any, bool]]:
    """Steps both with the same random actions; rewards, ends and infos must be equal.

    Args:
        pool: Of one environment, seeded with SEED.
        env: Gymnasium's.
        steps: Resets included.

    Yields:
        Number, our observation, theirs, and whether the episode has just ended.
    """
    env.action_space.seed(SEED)
    assert_same_frames(pool.reset()[0][0], env.reset(seed=SEED)[0], "reset")
    over = False
    for number in range(steps):
        action = env.action_space.sample()
        obs, reward, terminated, truncated, info = pool.step(np.array([action]))
        if over:
            (expected, their_info), over = env.reset(), False
        else:
            expected, *result, their_info = env.step(action)
            assert [reward[0], terminated[0], truncated[0]] == result, number
            over = bool(result[1] or result[2])
        for key in ("lives", "frame_number", "episode_frame_number"):
            assert info[key][0] == their_info[key], f"{key}, step {number}"
        yield number, obs[0], expected, over
