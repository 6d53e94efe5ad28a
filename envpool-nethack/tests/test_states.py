# SPDX-License-Identifier: Apache-2.0
"""Saved states: from memory in the environment that saved them, by seeds and keys elsewhere."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import SavedStateError, WorkerError
from envpool_nethack import loads
from sampling import FULL

_SCORE = "NetHackScore-v0"
_KEYS = ["glyphs", "chars", "blstats", "message", "inv_strs", "tty_chars", "internal"]
_KEYS += ["screen_descriptions"]  # no environment keeps it: games write it into results
# In wizard mode: down and up by ^V, moves, search.
_WIZARD = {
    "wizard": True,
    "allow_all_modes": True,
    "allow_all_yn_questions": True,
    "actions": [22, 50, 51, 49, 13, 107, 108, 106, 104, 115, 32, 27],
}


def _play(pool: Any, actions: Any) -> list[dict[str, np.ndarray[Any, Any]]]:
    rows = []
    for row in actions:
        obs, reward, terminated, truncated, info = pool.step(row)
        found = {**obs, "reward": reward, "terminated": terminated, "truncated": truncated}
        rows.append({**found, **{key: info[key] for key in ("core_seed", "end_status")}})
    return rows


def _check(expected: list[dict[str, Any]], found: list[dict[str, Any]], where: str) -> None:
    for step, (one, other) in enumerate(zip(expected, found, strict=True)):
        for key, value in one.items():
            np.testing.assert_array_equal(value, other[key], f"{where}, step {step}, {key}")


@pytest.mark.parametrize(
    "options", [{"max_episode_steps": 70}, _WIZARD], ids=["tasks", "many levels"]
)
def test_states_of_the_same_environments(options: dict[str, Any]) -> None:
    """Saved at many places, loaded in any order, over ends, resets and changes of level."""
    draw = np.random.default_rng(4)
    count = 40 if FULL else 10
    with envpool.make(
        _SCORE, num_envs=2, seed=3, observation_keys=_KEYS, clock="real", **options
    ) as pool:
        pool.reset()
        number = pool.action_space.n
        saved = []
        ends = levels = 0
        for _ in range(count):
            _play(pool, draw.integers(0, number, (25, 2)))
            state = pool.save_state()
            actions = draw.integers(0, number, (40, 2))
            rows = _play(pool, actions)
            ends += sum(int(row["terminated"].sum() + row["truncated"].sum()) for row in rows)
            levels += len({int(level) for row in rows for level in row["blstats"][:, 12]}) - 1
            saved.append((state, actions, rows))
        assert ends + levels > 0
        before = loads()
        for at in draw.permutation(count):
            state, actions, rows = saved[at]
            pool.load_state(state)
            _check(rows, _play(pool, actions), f"state {at}")
        memory, keys = np.subtract(loads(), before)
        assert (memory, keys) == (2 * count, 0)


def test_a_state_goes_into_another_pool_by_keys() -> None:
    options = {"num_envs": 2, "observation_keys": _KEYS}
    actions = np.random.default_rng(1).integers(0, 23, (60, 2))
    with envpool.make(_SCORE, **options) as first, envpool.make(_SCORE, **options) as second:
        first.reset(seed=5)
        second.reset(seed=99)
        _play(first, actions[:40])
        state = first.save_state()
        before = loads()
        second.load_state(state)
        assert np.subtract(loads(), before).tolist() == [0, 2]
        _check(_play(first, actions[40:]), _play(second, actions[40:]), "another pool")


def test_states_that_saw_the_machines_clock() -> None:
    """They are for the environment that saved them; keys would not give the same game."""
    with (
        envpool.make(_SCORE, clock="real") as first,
        envpool.make(_SCORE, clock="real") as second,
    ):
        first.reset()
        second.reset()
        state = first.save_state()
        first.load_state(state)
        with pytest.raises((SavedStateError, WorkerError), match="the machine's clock"):
            second.load_state(state)
    with envpool.make(_SCORE, loader="dlopen") as pool:
        pool.reset()
        with pytest.raises(SavedStateError, match="dlopen"):
            pool.save_state()


def test_a_state_that_is_cut_short_is_refused() -> None:
    with envpool.make(_SCORE) as pool:
        pool.reset()
        state = pool.save_state()
        with pytest.raises(SavedStateError):
            pool.load_state([bytes(state[0])[:-100]])
        pool.load_state(state)
        pool.step(np.array([0]))
