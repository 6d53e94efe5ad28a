# SPDX-License-Identifier: Apache-2.0
"""The interface of OpenRL's package `vec_env`, over pools.

env = AsyncVectorEnv([make_env] * 8)
obs, infos = env.reset(seed=1)
env.step_send(actions)
obs, rewards, terminated, truncated, infos = env.step_fetch(timeout=10)
"""

from __future__ import annotations

from .async_venv import AsyncVectorEnv
from .base_venv import AsyncState, BaseVecEnv
from .errors import (
    AlreadyPendingCallError,
    ClosedEnvironmentError,
    NoAsyncCallError,
    TimeoutError,
)
from .pool_venv import PoolVecEnv
from .sync_venv import SyncVectorEnv
from .vec_info import BaseVecInfo, EpisodeInfo
from .wrappers import BaseReward, RewardWrapper, VecEnvWrapper, VecMonitorWrapper

__all__ = [
    "AlreadyPendingCallError",
    "AsyncState",
    "AsyncVectorEnv",
    "BaseReward",
    "BaseVecEnv",
    "BaseVecInfo",
    "ClosedEnvironmentError",
    "EpisodeInfo",
    "NoAsyncCallError",
    "PoolVecEnv",
    "RewardWrapper",
    "SyncVectorEnv",
    "TimeoutError",
    "VecEnvWrapper",
    "VecMonitorWrapper",
]
