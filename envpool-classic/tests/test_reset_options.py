# SPDX-License-Identifier: Apache-2.0
"""`reset(options=...)` begins the episodes that Gymnasium begins with these options."""

from __future__ import annotations

from typing import Any

import envpool
import gymnasium
import numpy as np
import pytest
from envpool.errors import ConfigError

pytestmark = pytest.mark.filterwarnings("ignore:.*out of date")

RANGES = [{}, {"low": -0.7}, {"high": 0.3}, {"low": -0.25, "high": 0.5}, {"low": 0, "high": 0}]
# Wider ranges would end CartPole's episodes at once.
NARROW = [{}, {"low": -0.1}, {"high": 0.11}, {"low": 0.06, "high": 0.1}, {"low": 0, "high": 0}]
PENDULUM = [{}, {"x_init": 0.5}, {"y_init": 3}, {"x_init": 0, "y_init": 0.25}]
CASES = [
    *((task_id, options) for task_id in ("CartPole-v1", "CartPole-v0") for options in NARROW),
    *(
        (task_id, options)
        for task_id in ("Acrobot-v1", "MountainCar-v0", "MountainCarContinuous-v0")
        for options in RANGES
    ),
    *(("Pendulum-v1", options) for options in PENDULUM),
]


def sample(env: gymnasium.Env[Any, Any], seed: int) -> list[Any]:
    """Three actions."""
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(3)]


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
@pytest.mark.parametrize(("task_id", "options"), CASES)
def test_starts_and_draws_are_gymnasiums(task_id, options, env_type):
    envs = [gymnasium.make(task_id, disable_env_checker=True) for _ in range(3)]
    with envpool.make(task_id, env_type=env_type, num_envs=3) as pool:
        starts = [env.reset(seed=7 + i, options=options)[0] for i, env in enumerate(envs)]
        assert pool.reset(seed=7, options=options)[0].tolist() == np.array(starts).tolist()
        for given in (None, options, None):  # one episode each, from one generator
            actions = np.array([sample(env, i) for i, env in enumerate(envs)]).swapaxes(0, 1)
            for action in actions:
                expected = [env.step(one)[0] for env, one in zip(envs, action, strict=True)]
                assert pool.step(action)[0].tolist() == np.array(expected).tolist()
            starts = [env.reset(options=given)[0] for env in envs]
            assert pool.reset(options=given)[0].tolist() == np.array(starts).tolist()


@pytest.mark.parametrize("high", [0.8, 3.0, 50.0, 100.0])
def test_starts_of_any_angle(high: float) -> None:
    """NumPy brings a float32 angle into a quarter of a turn before it computes its sine."""
    options = {"low": -high, "high": high}
    env = gymnasium.make("Acrobot-v1", disable_env_checker=True)
    with envpool.make("Acrobot-v1", num_envs=200) as pool:
        theirs = [env.reset(seed=i, options=options)[0].tolist() for i in range(200)]
        assert pool.reset(seed=0, options=options)[0].tolist() == theirs


def test_a_mask_and_ids():
    env = gymnasium.make("CartPole-v1", disable_env_checker=True)
    env.reset(seed=3)
    start = env.reset(options={"low": 0.01})[0].tolist()
    options: dict[str, Any] = {"low": 0.01, "reset_mask": np.array([False, True, False])}
    for env_type in ("gymnasium", "vector"):
        with envpool.make("CartPole-v1", env_type=env_type, num_envs=3, seed=2) as pool:
            pool.reset()
            assert start in pool.reset(options=options)[0].tolist()
    with envpool.make("CartPole-v1", num_envs=3, seed=2) as pool:
        pool.reset()
        assert pool.reset([1], options={"low": 0.01})[0].tolist() == [start]


def test_an_end_is_followed_by_an_episode_of_the_defaults():
    with envpool.make("MountainCar-v0", num_envs=2, max_episode_steps=2) as pool:
        assert (pool.reset(options={"low": 0.1, "high": 0.2})[0][:, 0] >= 0.1).all()
        for _ in range(3):
            obs = pool.step(np.ones(2, np.int32))[0]
        assert (obs[:, 0] <= -0.4).all()


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        ("CartPole-v1", {"lwo": 0}, "'lwo'; allowed: 'reset_mask', 'low', .*Did you mean 'low'"),
        ("CartPole-v1", {"low": "much"}, "low='much'"),
        ("CartPole-v1", {"low": 1}, "low 1.0* and high 0.050* are no range"),
        ("CartPole-v1", {"high": float("inf")}, "finite numbers"),
        ("CartPole-v1", {"high": 101.0}, r"within -100 .. 100"),
        ("Pendulum-v1", {"x_init": -1}, "x_init -1.0* is not in 0 .. 100"),
        ("Blackjack-v1", {"low": 1}, "'low'; allowed: 'reset_mask'. Leave it out"),
    ],
)  # fmt: skip
def test_wrong_options_are_explained_and_change_nothing(env_type, task_id, options, message):
    with envpool.make(task_id, env_type=env_type, seed=1) as pool:
        first = pool.reset(seed=1)[0]
        with pytest.raises(ConfigError, match=message):
            pool.reset(seed=1, options=options)
        np.testing.assert_array_equal(pool.reset(seed=1)[0], first)
