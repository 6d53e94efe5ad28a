# SPDX-License-Identifier: Apache-2.0
"""A saved world continues as before, bit for bit, also after many episodes and in another pool."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import EnvPoolError
from numpy.typing import NDArray

_NUM_ENVS = 4
_TASKS = (
    ("LunarLander-v3", {}),
    ("LunarLander-v3", {"enable_wind": True, "particles": True}),
    ("BipedalWalker-v3", {}),
    ("BipedalWalkerHardcore-v3", {}),
    ("CarRacing-v3", {"domain_randomize": True, "max_episode_steps": 20}),
)


def _actions(pool: Any, rng: np.random.Generator) -> NDArray[Any]:
    if pool.spec.action_array_spec["action"].dtype == np.int32:
        return rng.integers(0, pool.action_space.n, _NUM_ENVS)
    return rng.uniform(-1, 1, (_NUM_ENVS, *pool.action_space.shape)).astype(np.float32)


def _play(pool: Any, rng: np.random.Generator, steps: int) -> list[Any]:
    rows = []
    for _ in range(steps):
        obs, reward, terminated, truncated, _ = pool.step(_actions(pool, rng))
        rows.append((obs.copy(), reward.copy(), terminated.copy(), truncated.copy()))
    return rows


@pytest.mark.parametrize(("task_id", "options"), _TASKS, ids=lambda value: str(value))
def test_a_loaded_state_goes_on(task_id: str, options: dict[str, Any]) -> None:
    def make(seed: int) -> Any:
        config = {"num_threads": 1, "max_episode_steps": 210, **options}
        return envpool.make(task_id, num_envs=_NUM_ENVS, seed=seed, **config)

    with make(3) as pool, make(77) as other:
        pool.reset()
        rng = np.random.default_rng(0)
        steps = 40 if task_id == "CarRacing-v3" else 260
        # Past several ends: a used world has traces of its past. Then in the middle of an episode.
        for before in (10, 3) if task_id == "CarRacing-v3" else (150, 40, 3):
            _play(pool, rng, before)
            states = pool.save_state()
            assert states == pool.save_state(), "the same world has the same bytes"
            expected = _play(pool, np.random.default_rng(1), steps)
            other.reset()
            _play(other, np.random.default_rng(2), before)
            for target in (pool, other):
                target.load_state(states)
                assert target.save_state() == states
                got = _play(target, np.random.default_rng(1), steps)
                for row, wanted in zip(got, expected, strict=True):
                    for array, other_array in zip(row, wanted, strict=True):
                        np.testing.assert_array_equal(array, other_array)
            assert any((row[2] | row[3]).any() for row in expected), "no episode ended"


def test_a_shortened_state_is_refused() -> None:
    with envpool.make("LunarLander-v3", num_envs=1) as pool:
        pool.reset()
        (state,) = pool.save_state()
        for size in (len(state) // 2, len(state) - 1):
            with pytest.raises(EnvPoolError):
                pool.load_state([state[:size]])
        pool.load_state([state])
        pool.step(np.array([0]))
