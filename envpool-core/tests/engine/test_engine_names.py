# SPDX-License-Identifier: Apache-2.0
"""SpecMap: arrays whose names depend on the options."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import WorkerError


@pytest.mark.parametrize("batch_size", [3, 2])
def test_arrays_have_the_names_and_sizes_of_the_options(make, batch_size):
    pool = make("Named", num_envs=3, batch_size=batch_size, names=["a", "", "c.d"], sizes=[1, 3, 2])
    pool.async_reset(None)
    results = [pool.recv()]
    for _ in range(4):
        pool.send(np.zeros(batch_size, int), results[-1]["info:env_id"])
        results.append(pool.recv())
    for result in results:
        step = result["elapsed_step"][:, None]
        assert np.array_equal(result["obs:a"], 0.0 + step)
        assert np.array_equal(result["obs"], np.array([10, 11, 12]) + step)
        assert np.array_equal(result["obs:c.d"], np.array([20, 21]) + step)
        assert np.array_equal(result["info:x"], np.float32(step[:, 0]))
        assert (result["info:count"] == 3).all()


def test_there_may_be_none(make):
    pool = make("Named", num_envs=2, names=[], sizes=[])
    result = pool.reset()
    assert not any(name.startswith("obs") for name in result)
    assert (result["info:count"] == 0).all()


def test_a_name_that_does_not_exist_is_an_error(make):
    pool = make("Named", num_envs=1, names=["a"], sizes=[1], wanted="b")
    with pytest.raises(WorkerError, match="no array 'b'"):
        pool.reset()
