# SPDX-License-Identifier: Apache-2.0
"""Tests that need the wheels of two families at once.

The session `release` runs them, with all wheels installed.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError, StateError
from envpool_python.openrl import (
    BaseReward,
    EpisodeInfo,
    PoolVecEnv,
    RewardWrapper,
    SyncVectorEnv,
    VecMonitorWrapper,
)

NUM_ENVS, LIMIT, STEPS = 4, 25, 120


class Upright(BaseReward):
    """Pays for an upright pole: the third number of each observation of a batch."""

    def step_reward(self, data: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
        """Adds its original reward to the info."""
        rewards = 1 - np.abs(data["observations"][:, 2])
        return rewards, [{"original": reward} for reward in data["rewards"]]


def wrapped(env: Any) -> VecMonitorWrapper:
    return VecMonitorWrapper(EpisodeInfo(NUM_ENVS), RewardWrapper(env, Upright()))


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_openrls_wrappers_take_native_pools(env_type: str) -> None:
    """CartPole of envpool-classic and Gymnasium's, in the same wrappers, give equal figures."""
    pool = envpool.make(
        "CartPole-v1",
        env_type,
        num_envs=NUM_ENVS,
        max_episode_steps=LIMIT,
        autoreset_mode="same_step",
    )
    theirs = wrapped(
        SyncVectorEnv([lambda: gymnasium.make("CartPole-v1", max_episode_steps=LIMIT)] * NUM_ENVS)
    )
    ours = wrapped(pool)
    assert isinstance(ours.unwrapped, PoolVecEnv) and ours.unwrapped.pool is pool
    assert (ours.env_name, ours.agent_num, ours.parallel_env_num) == ("CartPole-v1", 1, NUM_ENVS)
    assert (ours.observation_space, ours.action_space) == (
        theirs.observation_space,
        theirs.action_space,
    )
    first, _ = ours.reset(seed=5)
    np.testing.assert_array_equal(first, theirs.reset(seed=5)[0])
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        action = rng.integers(0, 2, NUM_ENVS)
        obs, rewards, dones, infos = ours.step(action)
        their_obs, their_rewards, their_dones, their_infos = theirs.step(action)
        np.testing.assert_array_equal(obs, their_obs)
        np.testing.assert_array_equal(rewards, their_rewards)
        np.testing.assert_array_equal(dones, their_dones)
        for info, other in zip(infos, their_infos, strict=True):
            for key in ("episode", "original", "TimeLimit.truncated"):
                assert info.get(key) == other.get(key), key
            assert ("final_observation" in info) == ("final_observation" in other)
            if "final_observation" in info:
                np.testing.assert_array_equal(info["final_observation"], other["final_observation"])
    figures, others = ours.statistics(), theirs.statistics()
    assert figures.pop("FPS") > 0 < others.pop("FPS")
    assert figures == others and figures["episodes"] > NUM_ENVS
    with pytest.raises(StateError, match="not written in Python"):
        ours.call("render")
    # Options of a reset are CartPole's own; other options are refused.
    obs = ours.reset(options={"low": 0.04})
    assert (obs[0] if isinstance(obs, tuple) else obs).min() >= np.float32(0.04)
    with pytest.raises(ConfigError, match="lov"):
        ours.reset(options={"lov": 0.0})
    for env in (ours, theirs):
        env.close()
    assert pool.closed


def test_a_family_translates_its_own_errors() -> None:
    """Wheels built with clang each have a C++ library; the first one knows no other's errors.

    Wheels built with gcc share one, and pass anyhow.
    """
    script = "import envpool_classic._classic, envpool_atari._atari as a; a.game_info('none')"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr.splitlines()[-1] == "ValueError: 'none' is no game that is known"
