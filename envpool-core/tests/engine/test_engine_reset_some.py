# SPDX-License-Identifier: Apache-2.0
"""Resets of some environments whose results have rows of all, as gymnasium.vector has them."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import ConfigError, EnvIdError, StateError, WorkerError

NAMES = {name: name for name in ("obs", "reward", "info:seed", "info:draw", "info:life")}
LAYOUT = NAMES | {"mask": "*"}


@pytest.fixture
def vector(make):
    """Makes raw pools with a mask in their results, which therefore keep observations."""

    def make_one(name="Counter", layout=LAYOUT, **config):
        pool = make(name, **config)
        pool.set_result_layouts(layout, layout)
        return pool

    return make_one


def act(pool, *actions):
    return pool.step(np.asarray(actions, np.int32))


def refused(pool, ids=(0,)):
    with pytest.raises(StateError, match=r"last observation of the others is unknown.*Call reset"):
        pool.reset_some(ids)


def test_rows_of_all(vector):
    pool = vector(num_envs=3, seed=5)
    pool.reset()
    act(pool, 7, 8, 9)
    result = pool.reset_some([2, 0], [70, None])
    assert result["obs"].tolist() == [[0, 0], [1, 8], [0, 0]]
    assert result["mask"].tolist() == [True, False, True]
    assert result["info:seed"].tolist() == [5, 0, 70]
    assert result["info:life"].tolist()[1:] == [0, 0]
    assert act(pool, 1, 2, 3)["obs"].tolist() == [[1, 1], [2, 2], [1, 3]]
    # An int as a seed is that of environment 0, also where others are reset.
    assert pool.reset_some([1], 40)["info:seed"].tolist() == [0, 41, 0]
    assert pool.reset_some([1])["obs"].tolist() == [[1, 1], [0, 0], [1, 3]]


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_what_the_caller_writes_is_in_no_later_result(vector, autoreset):
    pool = vector(num_envs=2, autoreset=autoreset)
    first = pool.reset()
    if autoreset == "disabled":  # copies from the start
        first["obs"][...] = -1
    second = pool.reset_some([0])
    assert second["obs"].tolist() == [[0, 0], [0, 0]]
    second["obs"][...] = -1
    third = act(pool, 4, 5)
    third["obs"][...] = -1
    assert pool.reset_some([1])["obs"].tolist() == [[1, 4], [0, 0]]
    assert (first["obs"] == (-1 if autoreset == "disabled" else 0)).all()


def test_arrays_of_objects(vector):
    layout = {"obs": "obs:dyn", "list": "info:list", "mask": "*"}
    pool = vector("_DummyEnvSpec", layout, num_envs=3, max_num_players=1)
    pool.reset()
    action = {"list_action": np.zeros((3, 6)), "players.action": np.zeros(3, np.int32)}
    action |= {"players.push": np.zeros((3, 2), np.float32), "level": np.zeros(3, np.int32)}
    kept = [array.copy() for array in pool.step(action)["obs"]]
    for ids in ([1], [1, 0], [2, 0]):
        result = pool.reset_some(ids)
        assert [one is None for one in result["list"][:, 1]] == [i not in ids for i in range(3)]
        for env_id, array in enumerate(result["obs"]):
            if env_id in ids:
                kept[env_id] = array.copy()
            assert np.array_equal(array, kept[env_id])
            array[...] = -1
        for array in pool.step(action)["obs"]:
            array[...] = -1
        kept = [array.copy() for array in pool.reset_some([0, 1, 2])["obs"]]


def test_all_of_a_pool_that_nobody_has_seen(vector):
    pool = vector(num_envs=2)
    refused(pool)
    result = pool.reset_some([0, 1], [9, None])
    assert result["mask"].all()
    assert result["info:seed"].tolist() == [9, 43]
    assert pool.reset_some([])["obs"].tolist() == [[0, 0], [0, 0]]


def test_the_last_observation_may_be_unknown(vector):
    pool = vector(num_envs=2)
    pool.reset()
    zeros = np.zeros(2, np.int32)
    pool.send(zeros)
    refused(pool)
    pool.recv()
    pool.reset_some([0])
    pool.load_state(pool.save_state([1]), [1])
    refused(pool)
    pool.reset()
    pool.step(zeros[:1], [1])
    refused(pool)
    pool.reset(None, None)
    pool.close()
    refused(pool)
    without_mask = vector(layout=NAMES, num_envs=2)
    without_mask.reset()
    refused(without_mask)


def test_a_call_that_is_refused_changes_nothing(vector):
    pool = vector(num_envs=2)
    pool.reset()
    act(pool, 4, 5)
    for ids, seed, error in (
        ([0], [-1], ConfigError),
        ([0], [1, 2], ConfigError),
        ([0, 0], None, EnvIdError),
        ([2], None, EnvIdError),
    ):
        with pytest.raises(error):
            pool.reset_some(ids, seed)
    assert pool.reset_some([0])["obs"].tolist() == [[0, 0], [1, 5]]
    with pytest.raises(ConfigError):
        pool.reset(None, [1, None])


def test_a_failure_leaves_rows_unknown(vector):
    pool = vector("Faulty", {"obs": "obs", "mask": "*"}, num_envs=2, where="step", envs=[1])
    pool.reset()
    with pytest.raises(WorkerError, match="the motor burnt out"):
        act(pool, 0, 0)
    refused(pool)
    assert len(pool.recv()["obs"]) == 1
    refused(pool)
    assert pool.reset_some([0, 1])["mask"].all()


def test_masks_are_true_in_every_result(vector):
    pool = vector(num_envs=2)
    first = pool.reset()["mask"]
    first[:] = False
    for _ in range(4):
        mask = pool.step_all(np.zeros(2, np.int32))["mask"]
        assert mask.all()
        mask[0] = False
        assert not first.any()
    del first
    assert pool.step_all(np.zeros(2, np.int32))["mask"].all()


@pytest.mark.parametrize("ids", [[0], [1, 0], 1, [0, 0], []])
def test_a_step_of_all_has_no_other_ids(vector, ids):
    pool = vector(num_envs=2)
    pool.reset()
    with pytest.raises(EnvIdError, match="row i is environment i"):
        pool.step_all({"action": np.zeros(np.size(ids), np.int32), "env_id": ids})
    assert pool.num_in_flight == 0
    for own in ([0, 1], None):
        rows = pool.step_all({"action": np.zeros(2, np.int32), "env_id": own})
        assert len(rows["obs"]) == 2
