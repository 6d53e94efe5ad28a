# SPDX-License-Identifier: Apache-2.0
"""Modes and difficulties, and rendered frames, are those of gymnasium.make("ALE/...-v5").

The last mode and difficulty of every fifth game, through the whole environment: the emulator itself
is compared in every mode of every game by tools/fidelity.py.
"""

from __future__ import annotations

from typing import Any

import ale_py
import envpool
import gymnasium
import numpy as np
import pytest
from envpool_atari._games import GAMES, task_id

_SEED = 31
_STEPS = 80


@pytest.mark.parametrize("game", GAMES[::5])
def test_last_mode(game: str) -> None:
    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    rom = gymnasium.make(name := f"ALE/{task_id(game)}".replace("3d", "3D")).unwrapped.ale
    options: dict[str, Any] = {
        "mode": int(rom.getAvailableModes()[-1]),
        "difficulty": int(rom.getAvailableDifficulties()[-1]),
    }
    env = gymnasium.make(name, render_mode="rgb_array", frameskip=(2, 5), **options)
    env.action_space.seed(_SEED)
    with envpool.make(
        task_id(game),
        preset="gymnasium",
        seed=_SEED,
        render_mode="rgb_array",
        frame_skip=(2, 5),
        **options,
    ) as pool:
        np.testing.assert_array_equal(pool.reset()[0][0], env.reset(seed=_SEED)[0])
        over = False
        for number in range(_STEPS):
            action = env.action_space.sample()
            obs, reward, terminated, truncated, info = pool.step(np.array([action]))
            if over:
                (expected, their_info), over = env.reset(), False
            else:
                expected, *ends, their_info = env.step(action)
                assert [reward[0], terminated[0], truncated[0]] == ends, number
                over = bool(ends[1] or ends[2])
            np.testing.assert_array_equal(obs[0], expected, f"step {number}")
            for key in ("lives", "frame_number", "episode_frame_number"):
                assert info[key][0] == their_info[key], number
            if number % 10 == 0:
                np.testing.assert_array_equal(pool.render()[0], env.render(), f"step {number}")
    env.close()
