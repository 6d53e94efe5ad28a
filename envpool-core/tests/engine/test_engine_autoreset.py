# SPDX-License-Identifier: Apache-2.0
"""A pool at the end of an episode, in its three autoreset modes, and at the time limit."""

from __future__ import annotations

import numpy as np
import pytest
from pool_contract import rows


def test_same_step(make):
    pool = make(goal=2, autoreset="same_step", num_envs=2)
    assert rows(pool.reset()) == (0, 0, 0.0, False, False, False, 0, 1.0)
    final = ("final obs", "final elapsed_step", "final info:life")
    for episode in range(3):
        result = pool.step([1, 1])
        assert rows(result) == (1, 1, 1.0, False, False, False, 1, 1.0)
        assert rows(result, final) == (0, 0, 0)
        # Reward and flags are of the step that ended the episode, the observation of the next.
        result = pool.step([3, 3])
        assert rows(result) == (0, 0, 2.0, True, True, False, 2, 0.0)
        assert rows(result, final) == (2, 2, 2 * episode + 2)
        assert result["final obs"][0].tolist() == [2, 3]
        assert result["info:life"][0] == 2 * episode + 2
        assert result["final info:draw"][0] != result["info:draw"][0]


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_seeds(make, autoreset):
    def seeds(pool, **reset):
        return pool.reset(**reset)["info:seed"].tolist()

    pool = make(num_envs=3, seed=7, autoreset=autoreset)
    first = pool.reset()
    assert first["info:seed"].tolist() == [7, 8, 9]
    assert first["info:draw"].tolist() != pool.reset()["info:draw"].tolist()
    again = pool.reset(seed=7)
    assert again["info:draw"].tolist() == first["info:draw"].tolist()
    assert seeds(pool, seed=100) == [100, 101, 102]
    assert seeds(pool, env_id=[2, 0], seed=50) == [52, 50]
    assert seeds(pool, env_id=[1], seed=[5]) == [5]
    assert seeds(pool) == [50, 5, 52]
    assert seeds(pool, seed=[2**40, 0, np.int64(4)]) == [2**40, 0, 4]
    pool.close()
    assert seeds(pool) == [2**40, 0, 4]
    pool = make(num_envs=2, env_seed=[30, 10], autoreset=autoreset)
    assert seeds(pool) == [30, 10]
