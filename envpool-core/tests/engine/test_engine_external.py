# SPDX-License-Identifier: Apache-2.0
"""StepKind::kExternal: environments that other programs step; limits of an environment's own."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import WorkerError


def test_all_that_is_sent_is_submitted_before_anything_is_waited_for(make):
    pool = make("External", num_envs=5)
    for _ in range(3):
        assert (pool.reset()["obs"] == [0, 5]).all()
        result = pool.step(np.zeros(5, int))
        # Answers come in another order, and each goes to the row of its environment.
        assert result["info:env_id"].tolist() == [0, 1, 2, 3, 4]
        assert (result["obs"] == [1, 5]).all() and (result["info:whole"] == -1).all()
        result = pool.step(np.zeros(2, int), np.array([3, 1]))
        assert result["info:env_id"].tolist() == [3, 1] and (result["obs"] == [2, 2]).all()


def test_an_asynchronous_batch_has_those_that_answered_first(make):
    pool = make("External", num_envs=6, batch_size=2)
    pool.async_reset(None)
    assert [pool.recv()["info:env_id"].tolist() for _ in range(3)] == [[5, 4], [3, 2], [1, 0]]
    pool.send(np.zeros(3, int), np.array([2, 5, 0]))
    assert pool.recv()["info:env_id"].tolist() == [0, 5]


@pytest.mark.parametrize("batch_size", [4, 2])
def test_a_limit_of_its_own_truncates_and_the_pools_counts_too(make, batch_size):
    pool = make("External", num_envs=4, batch_size=batch_size, limit=3, max_episode_steps=5)
    pool.async_reset(None)
    pool.recv()
    ids = np.arange(4) if batch_size == 4 else np.array([3, 2])
    for step in (1, 2, 3, 0, 1):
        pool.send(np.zeros(len(ids), int), ids)
        while True:
            result = pool.recv()
            if set(result["info:env_id"]) == set(ids):
                break
        assert (result["obs"][:, 0] == step).all()
        assert (result["trunc"] == (step == 3)).all() and not result["terminated"].any()


def test_one_that_fails_is_reported_and_reset(make):
    pool = make("External", num_envs=3)
    pool.reset()
    with pytest.raises(WorkerError, match="submitted in vain") as caught:
        pool.step(np.array([0, 1, 0]))
    assert caught.value.env_id == 1
    assert pool.recv()["info:env_id"].tolist() == [0, 2]
    assert (pool.reset()["obs"][:, 0] == 0).all()
