# SPDX-License-Identifier: Apache-2.0
"""sb3_vec_env: a pool as a `VecEnv` of Stable-Baselines3.

    pool = envpool.make("CartPole-v1", num_envs=16, autoreset_mode="same_step")
    model = PPO("MlpPolicy", sb3_vec_env(pool))

Stable-Baselines3 is imported when it is called.
"""

from __future__ import annotations

from typing import Any

from .._pools.base import EnvPoolMixin
from ._base import library_class, view_class
from ._vec_env import VecEnvMethods
from ._vec_env_of_agents import AgentsMethods


def sb3_vec_env(env: Any, per_game: bool = True) -> Any:
    """A `stable_baselines3.common.vec_env.VecEnv` that steps a pool.

    Infos have the task's infos of each environment, and where an episode ended also
    "terminal_observation", "TimeLimit.truncated" and "episode" (its "r", "l" and "t"); VecMonitor
    is not needed. `get_attr`, `set_attr` and `env_method` reach single environments if these are
    written in Python; otherwise they reach the pool, which all environments share.

    Observations that are dicts in dicts, which Stable-Baselines3 refuses, are one dict whose keys
    are joined by slashes: `obs["achieved_goal"]["kettle"]` is `obs["achieved_goal/kettle"]`.

    If the pool has several players, each row is a player, so that one policy plays all: agent a of
    environment e is row `e * max_num_players + a`. A missing agent observes zeros, gets no reward,
    and its action is not used, until the episode of its environment is over.

    Args:
        env: A synchronous pool with autoreset_mode="same_step", or a wrapper around it; a pool of
            several players with autoreset_mode="disabled".
        per_game: As in EpisodeStatistics.

    Raises:
        ConfigError: If the pool is of another kind.
        MissingPackageError: If Stable-Baselines3 is not installed.
    """
    base = library_class("sb3_vec_env()", "stable_baselines3.common.vec_env", "VecEnv")
    pool = getattr(env, "unwrapped", None)
    if isinstance(pool, EnvPoolMixin) and pool.config["max_num_players"] > 1:
        return view_class("EnvPoolAgentsVecEnv", AgentsMethods, base)(env)
    return view_class("EnvPoolVecEnv", VecEnvMethods, base)(env, per_game)
