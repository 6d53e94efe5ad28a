# SPDX-License-Identifier: Apache-2.0
"""DmPool: TimeSteps of arrays."""

from __future__ import annotations

import copy

import dm_env
import envpool
import numpy as np
import pytest


@pytest.fixture
def pool():
    with envpool.make_dm("Counter-v0", num_envs=2, seed=10, goal=2) as pool:
        yield pool


def test_time_steps(pool):
    first = pool.reset()
    assert isinstance(first, dm_env.TimeStep)
    assert first.first().tolist() == [True, True]
    assert first.step_type.dtype == np.int32
    assert first.observation.obs.tolist() == [[10, 0], [11, 0]]
    assert first.observation.env_id.tolist() == first.observation.players.env_id.tolist() == [0, 1]
    assert first.observation.deep.half.tolist() == [0, 0]
    assert (first.reward.tolist(), first.discount.tolist()) == ([0, 0], [1, 1])
    mid = pool.step(np.zeros(2))
    assert mid.mid().all()
    last = pool.step({"action": np.zeros(2)})
    assert last.last().all()
    assert (last.reward.tolist(), last.discount.tolist()) == ([2, 2], [0, 0])
    assert pool.step(np.zeros(2)).first().all()


def test_one_class_for_all_results(pool):
    # JAX refuses a loop that turns the result of reset into that of step otherwise.
    first, mid = pool.reset(), pool.step(np.zeros(2))
    with envpool.make_dm("Counter-v0", num_envs=3) as other:
        kinds = {type(step.observation) for step in (first, mid, other.reset())}
        assert len(kinds) == 1
        deep = {type(step.observation.deep) for step in (first, mid, other.reset())}
        assert len(deep) == 1


def test_subsets_and_seeds(pool):
    assert pool.reset([1]).observation.env_id.tolist() == [1]
    assert pool.reset(seed=3).observation.obs[:, 0].tolist() == [3, 4]
    assert pool.step([0], [1]).observation.env_id.tolist() == [1]
    assert pool.reset(env_id=[1], seed=[8]).observation.obs.tolist() == [[8, 0]]


def test_specs_describe_one_environment(pool):
    spec = pool.observation_spec()
    state = pool.reset().observation
    assert spec._fields == state._fields == ("env_id", "players", "obs", "total", "deep")
    spec.obs.validate(state.obs[0])
    spec.deep.half.validate(state.deep.half[0])
    spec.players.env_id.validate(state.players.env_id[0])
    assert pool.observation_spec() is spec
    assert pool.action_spec() is pool.action_spec()
    assert pool.action_spec().num_values == 2
    step = pool.step(np.zeros(2))
    pool.reward_spec().validate(step.reward[0])
    pool.discount_spec().validate(step.discount[0])


def test_same_step():
    pool = envpool.make_dm("Counter-v0", autoreset_mode="same_step", goal=1, seed=5)
    assert "final" not in pool.reset().observation._fields
    step = pool.step([0])
    assert step.last().all()
    assert step.observation.obs.tolist() == [[5, 0]]
    assert step.observation.final.obs.tolist() == [[5, 1]]


def test_send_and_recv():
    pool = envpool.make_dm("Counter-v0", num_envs=4, batch_size=2)
    pool.async_reset(seed=1)
    ids = pool.recv().observation.env_id
    assert len(ids) == 2
    pool.send(np.zeros(2), ids)
    assert copy.copy(pool).config == pool.config
