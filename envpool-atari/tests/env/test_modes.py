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
from side_by_side import SEED, play

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
    with envpool.make(
        task_id(game),
        preset="gymnasium",
        seed=SEED,
        render_mode="rgb_array",
        frame_skip=(2, 5),
        **options,
    ) as pool:
        for number, obs, expected, _ in play(pool, env, _STEPS):
            np.testing.assert_array_equal(obs, expected, f"step {number}")
            if number % 10 == 0:
                np.testing.assert_array_equal(pool.render()[0], env.render(), f"step {number}")
    env.close()
