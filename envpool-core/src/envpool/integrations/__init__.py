# SPDX-License-Identifier: Apache-2.0
"""Wrappers of pools for training code, and views of pools for other libraries.

    from envpool.integrations import EpisodeStatistics, NormalizeObservation

    envs = EpisodeStatistics(NormalizeObservation(envpool.make("Hopper-v4", num_envs=64)))

The wrappers take pools of `env_type="gymnasium"` and "vector", synchronous and asynchronous, and
are `gymnasium.vector.VectorWrapper`s with the methods `send`, `recv` and `async_reset`. They work
on whole batches, not on single environments. Every name is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .episode_statistics import EpisodeStatistics
    from .frame_stack import FrameStack
    from .normalize import NormalizeObservation, NormalizeReward
    from .pettingzoo import parallel_env
    from .record_video import RecordVideo
    from .rewards import ClipReward
    from .stable_baselines3 import sb3_vec_env
    from .tensors import PinnedMemory, as_tensors

__all__ = [
    "ClipReward",
    "EpisodeStatistics",
    "FrameStack",
    "NormalizeObservation",
    "NormalizeReward",
    "PinnedMemory",
    "RecordVideo",
    "as_tensors",
    "parallel_env",
    "sb3_vec_env",
]
_MODULES = {
    "ClipReward": "rewards",
    "EpisodeStatistics": "episode_statistics",
    "FrameStack": "frame_stack",
    "NormalizeObservation": "normalize",
    "NormalizeReward": "normalize",
    "PinnedMemory": "tensors",
    "RecordVideo": "record_video",
    "as_tensors": "tensors",
    "parallel_env": "pettingzoo",
    "sb3_vec_env": "stable_baselines3",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
