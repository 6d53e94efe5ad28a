# SPDX-License-Identifier: Apache-2.0
"""Every scenario is played as ViZDoom's own client plays it."""

from __future__ import annotations

import envpool
import numpy as np
from references import FRAME_SKIP, SCENARIOS, doom_game, screen

_RAW = {"img_width": 320, "img_height": 240, "stack_num": 1}


def test_frames_of_basic() -> None:
    random = np.random.default_rng(0)
    with (
        envpool.make("Basic-v1", num_envs=1, seed=5, reward="scenario", **_RAW) as pool,
        doom_game(SCENARIOS / "basic.cfg", 5) as game,
    ):
        obs, _ = pool.reset()
        for _ in range(60):
            np.testing.assert_array_equal(obs[0], screen(game))
            action = random.integers(0, 2, 3).astype(float)
            reward = game.make_action(list(action), FRAME_SKIP)
            obs, rewards, terminated, _, _ = pool.step(action[None])
            assert rewards[0] == np.float32(reward)
            assert terminated[0] == game.is_episode_finished()
            if terminated[0]:
                game.new_episode()
                obs, *_ = pool.step(action[None])
