# SPDX-License-Identifier: Apache-2.0
"""Games with rules of their own are as deterministic as the others.

Their resets draw random numbers, remember the game before, select a mode by hand, or have a
cartridge with a generator; DoubleDunk plays frames of its own before a game begins.
"""

from __future__ import annotations

import zlib
from typing import Any

import envpool
import numpy as np
import pytest

_NUM_ENVS = 4
_STEPS = 45
_CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("DoubleDunk-v5", {"repeat_action_probability": 0.25, "max_episode_steps": 15}),
    ("Adventure-v5", {"mode": 2, "max_episode_steps": 9}),
    ("VideoCube-v5", {"mode": 101, "max_episode_steps": 9, "repeat_action_probability": 0.25}),
    ("VideoCheckers-v5", {"mode": 9}),
    ("Solaris-v5", {"max_episode_steps": 20}),
    ("Pitfall2-v5", {"preset": "ale"}),
    ("Kaboom-v5", {"preset": "gymnasium", "frame_skip": (2, 5)}),
)


def _actions(count: int) -> Any:
    return np.random.default_rng(1).integers(count, size=(_STEPS + 1, _NUM_ENVS)).astype(np.int32)


def _trajectories(task_id: str, **config: Any) -> list[int]:
    """A checksum of all results of each environment."""
    sums, turns = [0] * _NUM_ENVS, [0] * _NUM_ENVS
    with envpool.make(task_id, num_envs=_NUM_ENVS, seed=8, **config) as pool:
        actions = _actions(pool.action_space.n)
        pool.async_reset()
        while min(turns) <= _STEPS:
            obs, reward, terminated, truncated, info = pool.recv()
            ids = info["env_id"]
            for row, env_id in enumerate(ids):
                if turns[env_id] <= _STEPS:
                    for array in (obs, reward, terminated, truncated, info["ram"], info["lives"]):
                        sums[env_id] = zlib.crc32(array[row].tobytes(), sums[env_id])
                turns[env_id] += 1
            rows = np.minimum([turns[env_id] - 1 for env_id in ids], _STEPS)
            pool.send(actions[rows, ids], ids)
    return sums


@pytest.mark.parametrize(("task_id", "config"), _CASES, ids=str)
def test_threads_and_batches_change_nothing(task_id: str, config: dict[str, Any]) -> None:
    expected = _trajectories(task_id, num_threads=1, **config)
    assert len(set(expected)) > 1, "all environments play the same"
    for threads, batch in ((3, 0), (2, 1), (1, 3)):
        found = _trajectories(task_id, num_threads=threads, batch_size=batch, **config)
        assert found == expected, f"{threads} threads, batch size {batch}"


@pytest.mark.parametrize(("task_id", "config"), _CASES, ids=str)
def test_states_go_to_other_pools(task_id: str, config: dict[str, Any]) -> None:
    """Memory, rewards and ends after a load are those of the pool that was saved."""
    with (
        envpool.make(task_id, num_envs=2, seed=8, **config) as saved,
        envpool.make(task_id, num_envs=2, seed=99, **config) as loaded,
    ):
        actions = _actions(saved.action_space.n)[:, :2]
        saved.reset()
        loaded.reset()
        for number, action in enumerate(actions):
            if number % 8 == 0:
                loaded.step(actions[-1])  # somewhere else
                loaded.load_state(saved.save_state())
            results = saved.step(action), loaded.step(action)
            for one, other in zip(results[0][1:4], results[1][1:4], strict=True):
                np.testing.assert_array_equal(one, other, f"step {number}")
            for key in ("ram", "lives", "frame_number"):
                np.testing.assert_array_equal(
                    results[0][-1][key], results[1][-1][key], f"step {number}"
                )
