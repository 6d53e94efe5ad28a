# SPDX-License-Identifier: Apache-2.0
"""What a pool does at the end of an episode, in its three modes, and at the time limit."""

from __future__ import annotations

import numpy as np
import pytest
from engine_messages import refused
from envpool.errors import StateError

COLUMNS = ("obs", "elapsed_step", "reward", "done", "terminated", "trunc", "step_type", "discount")


def rows(result, columns=COLUMNS):
    """The first row, each column as a Python value; of obs the number of steps."""
    found = []
    for name in columns:
        value = result[name][0]
        found.append(int(value[0]) if name.endswith("obs") else value.item())
    return tuple(found)


def test_next_step(make):
    pool = make(goal=2)
    #                                obs elapsed reward done  term   trunc  type discount
    assert rows(pool.reset()) ==     (0, 0,      0.0,   False, False, False, 0,   1.0)  # fmt: skip
    for _ in range(3):
        assert rows(pool.step([1])) == (1, 1, 1.0, False, False, False, 1, 1.0)
        assert rows(pool.step([1])) == (2, 2, 2.0, True, True, False, 2, 0.0)
        # The action of this step is not used: it starts the next episode.
        result = pool.step([9])
        assert rows(result) == (0, 0, 0.0, False, False, False, 0, 1.0)
        assert result["obs"][0, 1] == 0


def test_next_step_starts_by_itself(make):
    pool = make(goal=2)
    assert rows(pool.step([1])) == (0, 0, 0.0, False, False, False, 0, 1.0)
    assert rows(pool.step([1])) == (1, 1, 1.0, False, False, False, 1, 1.0)


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


def test_same_step_has_final_rows_only_where_an_episode_ended(make):
    pool = make(goal=3, autoreset="same_step", num_envs=3)
    pool.reset()
    pool.step([1], [1])
    kept = []
    for step in range(1, 8):
        result = pool.step([step] * 3)
        kept.append((result, {name: array.copy() for name, array in result.items()}))
        ended = result["done"]
        counts = [step % 3, (step + 1) % 3, step % 3]
        assert result["obs"][:, 0].tolist() == counts
        assert result["final obs"].tolist() == [[3, step] if end else [0, 0] for end in ended]
        assert result["final elapsed_step"].tolist() == [3 if end else 0 for end in ended]
    for result, copy in kept:
        for name, array in result.items():
            assert np.array_equal(array, copy[name])


def test_disabled(make):
    pool = make(goal=2, autoreset="disabled", num_envs=2)
    message = refused(StateError, lambda: pool.step([1, 1]))
    assert message.got == "env 0, whose episode is over or has not begun"
    pool.reset()
    assert rows(pool.step([1, 1])) == (1, 1, 1.0, False, False, False, 1, 1.0)
    pool.step([1], [1])
    message = refused(StateError, lambda: pool.step([1, 1]))
    assert message.got == "env 1, whose episode is over or has not begun"
    assert message.hint == "Reset it first"
    assert rows(pool.step([1], [0])) == (2, 2, 2.0, True, True, False, 2, 0.0)
    refused(StateError, lambda: pool.send([1], [0]))
    pool.reset([1])
    refused(StateError, lambda: pool.step([1, 1]))
    assert rows(pool.step([1], [1])) == (1, 1, 1.0, False, False, False, 1, 1.0)
    pool.reset()
    assert rows(pool.step([1, 1])) == (1, 1, 1.0, False, False, False, 1, 1.0)


@pytest.mark.parametrize(
    ("goal", "limit", "terminated", "truncated"),
    [(0, 3, False, True), (5, 3, False, True), (3, 3, True, True), (3, 5, True, False)],
)
def test_the_time_limit(make, goal, limit, terminated, truncated):
    # Out of time is no terminal state: the discount stays 1. Both may be true in one step.
    pool = make(goal=goal, max_episode_steps=limit)
    pool.reset()
    for step in (1, 2):
        expected = (step, step, step, False, False, False, 1, 1.0)
        assert rows(pool.step([0])) == expected
    discount = 0.0 if terminated else 1.0
    assert rows(pool.step([0])) == (3, 3, 3.0, True, terminated, truncated, 2, discount)
    assert rows(pool.step([0])) == (0, 0, 0.0, False, False, False, 0, 1.0)


def test_the_time_limit_in_the_other_modes(make):
    pool = make(goal=0, max_episode_steps=2, autoreset="same_step")
    pool.reset()
    pool.step([0])
    result = pool.step([0])
    assert rows(result) == (0, 0, 2.0, True, False, True, 2, 1.0)
    assert rows(result, ("final obs", "final elapsed_step")) == (2, 2)
    pool = make(goal=0, max_episode_steps=1, autoreset="disabled")
    pool.reset()
    assert rows(pool.step([0])) == (1, 1, 1.0, True, False, True, 2, 1.0)
    refused(StateError, lambda: pool.step([0]))


def test_a_reset_begins_the_count_anew(make):
    pool = make(goal=0, max_episode_steps=3)
    pool.reset()
    pool.step([0])
    pool.step([0])
    pool.reset()
    for step in (1, 2, 3):
        assert pool.step([0])["elapsed_step"][0] == step


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
