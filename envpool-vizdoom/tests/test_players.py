# SPDX-License-Identifier: Apache-2.0
"""Games of several players: an engine for each, in lockstep."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import envpool
import numpy as np
from envpool_vizdoom import action_meanings
from processes import engines
from references import SCENARIOS

_OPTIONS: dict[str, Any] = {"num_envs": 2, "max_num_players": 2, "seed": 4}


def test_each_player_has_rows_of_its_own(tmp_path: Path) -> None:
    cfg = tmp_path / "angle.cfg"
    own = (SCENARIOS / "cig.cfg").read_text().replace("= cig.wad", f"= {SCENARIOS / 'cig.wad'}")
    cfg.write_text(f"{own}\navailable_game_variables = {{ ANGLE }}\n")
    with envpool.make("Cig-v1", **_OPTIONS) as pool:
        obs, info = pool.reset()
        assert obs.shape == (4, 12, 84, 84)
        assert info["players"]["env_id"].tolist() == [0, 0, 1, 1]
        assert info["engine_restarted"].shape == (2,)
        assert not np.array_equal(obs[0], obs[1])
        turn = np.zeros((4, 10))
        for _ in range(5):
            obs, reward, terminated, _, info = pool.step(turn)
            assert obs.shape[0] == 4 and reward.shape == (4,) and terminated.shape == (2,)
    angles = []
    for turns in (0.0, 1.0):
        # An engine reports no angle by default: the scenario's configuration asks for it.
        with envpool.make("VizdoomCustom-v1", **_OPTIONS, cfg_path=cfg) as pool:
            pool.reset()
            names = action_meanings(pool.spec)
            turn = np.zeros((4, len(names)))
            turn[0, names.index("TURN_LEFT")] = turn[3, names.index("TURN_LEFT")] = turns
            *_, info = pool.step(turn)
            first = info["ANGLE"]
            for _ in range(5):
                *_, info = pool.step(turn)
            angles.append(info["ANGLE"] != first)
    assert not angles[0].any()
    assert angles[1].tolist() == [True, False, False, True]


def test_a_player_can_kill_another() -> None:
    # A player who moves at random and always shoots hits at last; a handful of duels is enough.
    with envpool.make(
        "MultiDuel-v1", **{**_OPTIONS, "num_envs": 1}, episodic_life=True, max_episode_steps=10**6
    ) as pool:
        random = np.random.default_rng(0)
        info: dict[str, Any] = {}
        for _ in range(40):
            pool.reset()
            over = False
            for _ in range(200):
                action = np.repeat(random.integers(0, 2, (2, 3)), 1, axis=0).astype(float)
                action[:, 2] = 1
                _, reward, terminated, _, info = pool.step(action)
                over = bool(terminated[0])
                if over:
                    break
            if over:
                break
        assert over, "nobody died in 40 duels"
        assert info["DEATHCOUNT"].shape == (2,) and info["DEATHCOUNT"].max() == 1
        dead = int(np.argmax(info["DEATHCOUNT"]))
        assert info["HEALTH"][dead] <= 0 and reward[dead] < 0
        # The game continues, with all players alive.
        elapsed = int(info["elapsed_step"][0])
        _, _, terminated, _, info = pool.step(np.zeros((2, 3)))
        assert not terminated[0] and (info["HEALTH"] > 0).all()
        assert info["elapsed_step"][0] == elapsed


def test_a_dead_engine_takes_its_game_with_it_and_no_other() -> None:
    before = engines()
    with envpool.make("MultiDuel-v1", **_OPTIONS) as pool:
        pool.reset()
        nothing = np.zeros((4, 3))
        own = [number for number in engines() if number not in before]
        assert len(own) == 4
        os.kill(own[0], signal.SIGKILL)
        *_, truncated, info = pool.step(nothing)
        assert sorted(truncated.tolist()) == [False, True]
        assert (truncated == info["engine_restarted"]).all()
        obs, *_ = pool.step(nothing)
        *_, truncated, info = pool.step(nothing)
        assert obs.shape[0] == 4 and not truncated.any()
    assert not set(own) & set(engines())
