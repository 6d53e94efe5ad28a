# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's vector wrappers return the same around a pool as around SyncVectorEnv."""

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
    import pygame

Envs = VectorEnv[Any, Any, Any]
NUM_ENVS = 3

Case = tuple[str, Callable[[Envs], Any]]

# Gymnasium refuses these wrappers with AutoresetMode.SAME_STEP.
_OF_OBSERVATIONS: dict[str, Case] = {
    "VectorizeTransformObservation": (
        "CartPole-v1",
        lambda envs: vector.VectorizeTransformObservation(envs, single.FlattenObservation),
    ),
    "TransformObservation": (
        "CartPole-v1",
        lambda envs: vector.TransformObservation(envs, lambda obs: obs * 2),
    ),
    "FlattenObservation": ("Taxi-v4", vector.FlattenObservation),
    "ReshapeObservation": ("CartPole-v1", lambda envs: vector.ReshapeObservation(envs, (2, 2))),
    "RescaleObservation": (
        "MountainCar-v0",
        lambda envs: vector.RescaleObservation(envs, np.float32(0), np.float32(1)),
    ),
    "DtypeObservation": ("CartPole-v1", lambda envs: vector.DtypeObservation(envs, np.float64)),
    "NormalizeObservation": ("CartPole-v1", vector.NormalizeObservation),
}
_OTHERS: dict[str, Case] = {
    "nothing": ("CartPole-v1", lambda envs: envs),
    "nothing, Taxi": ("Taxi-v4", lambda envs: envs),
    "nothing, Blackjack": ("Blackjack-v1", lambda envs: envs),
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
    *(("next_step", name) for name in _OF_OBSERVATIONS),
    *((mode, name) for mode in ("next_step", "same_step") for name in _OTHERS),
]


def _assert_same(ours: Any, theirs: Any) -> None:
    """All of Gymnasium's result is there, and equal; the pool's info also has elapsed_step."""
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
        # Rewards and infos of a pool are float32, the rounded values of Gymnasium's float64.
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.dtype.kind == theirs.dtype.kind
        np.testing.assert_array_equal(ours, theirs.astype(ours.dtype))


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
    task_id, wrap = (_OF_OBSERVATIONS | _OTHERS)[name]
    pool = gymnasium.make_vec(f"envpool/{task_id}", num_envs=NUM_ENVS, autoreset_mode=mode)
    sync = SyncVectorEnv(
        [lambda: gymnasium.make(task_id)] * NUM_ENVS,
        autoreset_mode=AutoresetMode[mode.upper()],
    )
    (ours, ends), (theirs, _) = _rollout(wrap(pool)), _rollout(wrap(sync))
    assert ends >= NUM_ENVS
    _assert_same(ours, theirs)


@pytest.mark.parametrize(
    "name",
    [
        "NormalizeObservation",
        "NormalizeReward",
        "ClipReward",
        "TransformReward",
        "RecordEpisodeStatistics",
    ],
)
def test_gymnasium_wrapper_around_the_default_pool(name: str) -> None:
    """Wrappers that need no batched spaces work the same around EnvPool's own pools."""
    task_id, wrap = (_OF_OBSERVATIONS | _OTHERS)[name]
    results = []
    for env_type in ("gymnasium", "vector"):
        pool = envpool.make(task_id, env_type, num_envs=NUM_ENVS)
        assert isinstance(pool, VectorEnv)
        envs = wrap(pool)
        rng = np.random.default_rng(1)
        rollout: list[Any] = [envs.reset(seed=7)[0]]
        for _ in range(300):
            *result, info = envs.step(rng.integers(2, size=NUM_ENVS))
            episode = {key: info["episode"][key] for key in "rl"} if "episode" in info else {}
            rollout.append((*result, episode))
        envs.close()
        results.append(rollout)
    assert any(step[2].any() for step in results[0][1:])
    _assert_same(*results)


def test_observations_that_are_tuples() -> None:
    with envpool.make("Blackjack-v1", "vector", num_envs=3, autoreset_mode="disabled") as pool:
        assert pool.single_observation_space == gymnasium.make("Blackjack-v1").observation_space
        obs, _ = pool.reset(seed=1)
        assert pool.observation_space.contains(obs)
        mask = np.array([True, False, True])
        again, _ = pool.reset(options={"reset_mask": mask})
        for before, now in zip(obs, again, strict=True):
            assert before[1] == now[1]
        pool.async_reset()
        assert pool.observation_space.contains(pool.recv(reset=True)[0])
        with pytest.raises(envpool.errors.ConfigError, match="tuples"):
            pool.xla()


def test_gymnasium_human_rendering() -> None:
    envs = gymnasium.make_vec("envpool/CartPole-v1", num_envs=4, render_mode="rgb_array")
    shown = vector.HumanRendering(envs)
    shown.reset(seed=1)
    shown.step(shown.action_space.sample())
    assert pygame.display.get_surface() is not None
    shown.close()


@pytest.mark.parametrize(
    "task_id",
    ["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "Acrobot-v1", "FrozenLake-v1", "Taxi-v4"],
)
def test_gymnasium_videos_have_their_speed(task_id: str) -> None:
    for envs in (envpool.make(task_id), gymnasium.make_vec(f"envpool/{task_id}")):
        assert envs.metadata["render_fps"] == gymnasium.make(task_id).metadata["render_fps"]


def test_gymnasium_masked_resets() -> None:
    pool = gymnasium.make_vec("envpool/CartPole-v1", num_envs=4, autoreset_mode="disabled")
    sync = SyncVectorEnv(
        [lambda: gymnasium.make("CartPole-v1")] * 4, autoreset_mode=AutoresetMode.DISABLED
    )
    _assert_same(pool.reset(seed=4), sync.reset(seed=4))
    rng, resets = np.random.default_rng(0), 0
    for _ in range(300):
        action = rng.integers(2, size=4)
        ours, theirs = pool.step(action), sync.step(action)
        _assert_same(ours, theirs)
        over = theirs[2] | theirs[3]
        if over.any():
            resets += int(over.sum())
            (obs, _), (their_obs, _) = (
                envs.reset(options={"reset_mask": over.copy()}) for envs in (pool, sync)
            )
            np.testing.assert_array_equal(obs, their_obs)
    assert resets > 20
