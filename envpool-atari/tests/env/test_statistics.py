# SPDX-License-Identifier: Apache-2.0
"""Episode statistics of games whose lives are episodes, against sums by hand."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.integrations import EpisodeStatistics

NUM_ENVS = 4


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_a_game_is_an_episode(mode: str) -> None:
    pool = envpool.make(
        "Breakout-v5",
        num_envs=NUM_ENVS,
        seed=1,
        episodic_life=True,
        reward_clip=True,
        autoreset_mode=mode,
        max_episode_steps=400,
    )
    env = EpisodeStatistics(pool)
    env.reset()
    rng = np.random.default_rng(0)
    score, steps = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS, int)
    fresh = np.zeros(NUM_ENVS, bool)
    games: list[tuple[float, int]] = []
    lives = 0
    for _ in range(900):
        _, _, terminated, truncated, info = env.step(rng.integers(4, size=NUM_ENVS))
        over = terminated | truncated
        told: dict[str, Any] = {key: info[key] for key in ("reward", "terminated")}
        if mode == "same_step":
            told = {key: np.where(over, info["final_info"][key], told[key]) for key in told}
        stepped = ~fresh
        score[stepped] += told["reward"][stepped]
        steps[stepped] += 1
        ended = over & ((told["terminated"] == 1) | truncated)
        lives += int((over & ~ended).sum())
        assert ("episode" in info) == bool(ended.any())
        for i in np.flatnonzero(ended):
            games.append((score[i], steps[i]))
            assert info["episode"]["r"][i] == score[i]
            assert info["episode"]["l"][i] == steps[i]
            score[i], steps[i] = 0, 0
        fresh = over if mode == "next_step" else np.zeros(NUM_ENVS, bool)
    assert len(games) > 4 and lives > 4 * 3
    assert list(zip(env.return_queue, env.length_queue, strict=True)) == games
    agent = EpisodeStatistics(pool, per_game=False)
    agent.reset()
    ends = 0
    for _ in range(200):
        _, _, terminated, truncated, info = agent.step(rng.integers(4, size=NUM_ENVS))
        ends += int((terminated | truncated).sum())
    assert agent.episode_count == ends > 0
