# SPDX-License-Identifier: Apache-2.0
"""The environment of the documentation's page works as the page says."""

from __future__ import annotations

import math

import envpool
import numpy as np
import pytest
from envpool.testing import check_task

ID = "Tutorial/CartPole-v0"
LIMITS = {"Tutorial/CartPole-v0": (200, 195.0), "Tutorial/CartPole-v1": (500, 475.0)}


def advance(state, action):
    """One step of the equations of motion, in double precision."""
    x, x_dot, theta, theta_dot = state
    force = 10.0 if action == 1 else -10.0
    push = (force + 0.05 * theta_dot**2 * math.sin(theta)) / 1.1
    theta_acc = (9.8 * math.sin(theta) - math.cos(theta) * push) / (
        0.5 * (4.0 / 3.0 - 0.1 * math.cos(theta) ** 2 / 1.1)
    )
    x_acc = push - 0.05 * theta_acc * math.cos(theta) / 1.1
    return (
        x + 0.02 * x_dot,
        x_dot + 0.02 * x_acc,
        theta + 0.02 * theta_dot,
        theta_dot + 0.02 * theta_acc,
    )


@pytest.mark.parametrize("batch_size", [8, 3])
def test_the_pole_falls_as_it_should(batch_size):
    pool = envpool.make_gymnasium(ID, num_envs=8, batch_size=batch_size, seed=3, num_threads=2)
    rng = np.random.default_rng(0)
    states: dict[int, tuple[float, ...]] = {}
    actions: dict[int, int] = {}
    over = dict.fromkeys(range(8), True)
    pool.async_reset()
    for _ in range(600):
        obs, reward, terminated, truncated, info = pool.recv()
        assert obs.dtype == np.float32
        for row, env_id in enumerate(info["env_id"].tolist()):
            if over[env_id]:
                assert np.abs(obs[row]).max() <= 0.05
                assert reward[row] == 0
                states[env_id] = tuple(obs[row].tolist())
            else:
                states[env_id] = advance(states[env_id], actions[env_id])
                # The first state is known to 24 bits, and the missing part grows by about a tenth
                # in a step; an episode has about 25.
                np.testing.assert_allclose(obs[row], states[env_id], rtol=2e-4, atol=2e-5)
                assert reward[row] == 1
                fallen = abs(obs[row][0]) > 2.4 or abs(obs[row][2]) > math.pi / 15
                assert terminated[row] == fallen
            assert not truncated[row]
            over[env_id] = bool(terminated[row])
            actions[env_id] = int(rng.integers(2))
        pool.send(np.array([actions[i] for i in info["env_id"].tolist()]), info["env_id"])


@pytest.mark.parametrize("task_id", LIMITS)
def test_the_time_limit_of_the_page(task_id):
    limit, threshold = LIMITS[task_id]
    pool = envpool.make_gym(task_id, num_envs=1, seed=0)
    assert pool.spec.config.max_episode_steps == limit
    assert pool.spec.reward_threshold == threshold
    obs, _ = pool.reset()
    for step in range(1, limit + 1):
        # Pushing towards where the pole leans keeps it up.
        lean = obs[0, 2] + 0.5 * obs[0, 3] + 0.05 * obs[0, 0] + 0.1 * obs[0, 1]
        obs, _reward, terminated, truncated, info = pool.step(np.array([int(lean > 0)]))
        assert (bool(truncated[0]), bool(terminated[0])) == (step == limit, False)
        assert info["elapsed_step"].tolist() == [step]


def test_what_the_page_shows():
    spec = envpool.make_spec(ID)
    text = repr(spec)
    assert text.startswith("CartPoleEnvSpec(num_envs=1, batch_size=1, num_threads=0, ")
    assert "max_episode_steps=200, reward_threshold=195.0" in text
    env = envpool.make_gym(ID, reward_threshold=666)
    assert repr(env).startswith("CartPoleGymnasiumEnvPool('Tutorial/CartPole-v0', num_envs=1, ")
    assert env.spec.reward_threshold == 666.0
    space = env.observation_space
    fmax = np.finfo(np.float32).max
    assert space.low.tolist() == [np.float32(-4.8), -fmax, np.float32(-math.pi / 7.5), -fmax]
    assert space.high.tolist() == (-space.low).tolist()
    assert env.action_space.n == 2
    time_step = envpool.make_dm(ID, num_envs=2).reset()
    assert time_step.observation.obs.shape == (2, 4)
    assert time_step.first().all()


def test_the_classes_of_the_page():
    from envpool_tutorial import CartPoleDMEnvPool, CartPoleEnvSpec, CartPoleGymnasiumEnvPool

    config = CartPoleEnvSpec.gen_config(num_envs=3)
    assert CartPoleGymnasiumEnvPool(CartPoleEnvSpec(config)).reset()[0].shape == (3, 4)
    assert CartPoleDMEnvPool(CartPoleEnvSpec(config)).reset().reward.shape == (3,)
    assert isinstance(envpool.make(ID, "dm"), CartPoleDMEnvPool)
    assert isinstance(envpool.make(ID, "gymnasium"), CartPoleGymnasiumEnvPool)


def test_it_is_a_family_like_any_other():
    assert set(LIMITS) <= set(envpool.list_all_envs())
    assert envpool.failures() == []


@pytest.mark.parametrize("task_id", LIMITS)
def test_contract(task_id):
    check_task(task_id)
