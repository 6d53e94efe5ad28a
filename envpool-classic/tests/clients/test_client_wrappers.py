# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's wrappers of vector environments: a pool inside gives what SyncVectorEnv gives."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import envpool
import envpool.gymnasium
import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers as single
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pygame's import of pkg_resources
    import pygame  # noqa: F401

Envs = VectorEnv[Any, Any, Any]
NUM_ENVS = 3

_ONLY_NEXT_STEP: dict[str, tuple[str, Callable[[Envs], Any]]] = {
    "VectorizeTransformObservation": (
        "CartPole-v1",
        lambda envs: vector.VectorizeTransformObservation(envs, single.FlattenObservation),
    ),
    "TransformObservation": (
        "CartPole-v1",
        lambda envs: vector.TransformObservation(envs, lambda obs: obs * 2),
    ),
    "FlattenObservation": ("Catch", vector.FlattenObservation),
    "ReshapeObservation": ("CartPole-v1", lambda envs: vector.ReshapeObservation(envs, (2, 2))),
    "DtypeObservation": ("CartPole-v1", lambda envs: vector.DtypeObservation(envs, np.float64)),
    "NormalizeObservation": ("CartPole-v1", vector.NormalizeObservation),
}
_ANY_MODE: dict[str, tuple[str, Callable[[Envs], Any]]] = {
    "nothing": ("CartPole-v1", lambda envs: envs),
    "nothing, Taxi": ("Taxi-v4", lambda envs: envs),
    "VectorizeTransformAction": (
        "Pendulum-v1",
        lambda envs: vector.VectorizeTransformAction(envs, single.ClipAction),
    ),
    "VectorizeTransformReward": (
        "CartPole-v1",
        lambda envs: vector.VectorizeTransformReward(
            envs, single.ClipReward, min_reward=0.0, max_reward=0.5
        ),
    ),
    "TransformAction": ("Pendulum-v1", lambda envs: vector.TransformAction(envs, np.negative)),
    "ClipAction": ("Pendulum-v1", vector.ClipAction),
    "RescaleAction": (
        "Pendulum-v1",
        lambda envs: vector.RescaleAction(envs, np.float32(-1), np.float32(1)),
    ),
    "TransformReward": ("CartPole-v1", lambda envs: vector.TransformReward(envs, np.negative)),
    "ClipReward": ("CartPole-v1", lambda envs: vector.ClipReward(envs, 0.0, 0.5)),
    "NormalizeReward": ("CartPole-v1", vector.NormalizeReward),
    "RecordEpisodeStatistics": ("CartPole-v1", vector.RecordEpisodeStatistics),
    "DictInfoToList": ("CartPole-v1", vector.DictInfoToList),
}
_CASES = [
    *((mode, name) for mode in ("next_step", "same_step") for name in _ANY_MODE),
    *(("next_step", name) for name in _ONLY_NEXT_STEP if name != "FlattenObservation"),
]


def _assert_same(ours: Any, theirs: Any) -> None:
    """All that Gymnasium gives is there, and equal; the pool's info has elapsed_step besides."""
    if isinstance(theirs, dict):
        for key in theirs:
            if key != "t":  # of RecordEpisodeStatistics: seconds
                _assert_same(ours[key], theirs[key])
        assert {*ours} - {*theirs} <= {"elapsed_step", "_elapsed_step"}
    elif isinstance(theirs, tuple | list) or getattr(theirs, "dtype", None) == np.object_:
        for our_item, their_item in zip(ours, theirs, strict=True):
            _assert_same(our_item, their_item)
    elif theirs is None:
        assert ours is None
    else:
        # A pool's rewards and info are float32, Gymnasium's float64 of the same value.
        theirs = np.asarray(theirs)
        same_kind = np.asarray(ours).dtype.kind == theirs.dtype.kind
        assert same_kind
        np.testing.assert_array_equal(ours, theirs.astype(np.asarray(ours).dtype))


def _rollout(envs: Envs) -> tuple[list[Any], int]:
    """The results of 300 steps with actions drawn from the batched space, and the ends in them."""
    results: list[Any] = [envs.reset(seed=7)]
    envs.action_space.seed(1)
    ends = 0
    for _ in range(300):
        result = envs.step(envs.action_space.sample())
        ends += int((result[2] | result[3]).sum())
        results.append(result)
    envs.close()
    return results, ends


@pytest.mark.parametrize(("mode", "name"), _CASES, ids=[f"{name}-{mode}" for mode, name in _CASES])
def test_gymnasium_wrapper(mode: str, name: str) -> None:
    task_id, wrap = (_ANY_MODE | _ONLY_NEXT_STEP)[name]
    pool = gymnasium.make_vec(f"envpool/{task_id}", num_envs=NUM_ENVS, autoreset_mode=mode)
    sync = SyncVectorEnv(
        [lambda: gymnasium.make(task_id)] * NUM_ENVS,
        autoreset_mode=AutoresetMode[mode.upper()],
    )
    (ours, ends), (theirs, _) = _rollout(wrap(pool)), _rollout(wrap(sync))
    assert ends >= NUM_ENVS
    _assert_same(ours, theirs)
