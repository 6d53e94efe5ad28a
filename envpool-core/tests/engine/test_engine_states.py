# SPDX-License-Identifier: Apache-2.0
"""save_state and load_state: round trips, and bytes that are refused without changing anything."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import EnvIdError, SavedStateError, StateError
from refusals import refused


def play(pool, count, ids=None, seed=0):
    """The results of some steps, as bytes that can be compared."""
    rng = np.random.default_rng(seed)
    size = 3 if ids is None else len(ids)
    found = []
    for _ in range(count):
        result = pool.step(rng.integers(0, 1000, size), ids)
        skipped = ("info:env_id", "info:players.env_id")
        found.append({key: value.tobytes() for key, value in result.items() if key not in skipped})
    return found


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
@pytest.mark.parametrize("steps_before", [0, 1, 4, 5, 6, 13])
def test_what_follows_is_what_followed(make, steps_before, autoreset):
    pool = make(num_envs=3, num_threads=2, goal=5, max_episode_steps=9, autoreset=autoreset)
    pool.reset()
    play(pool, steps_before, seed=1)
    states = pool.save_state(np.arange(3))
    assert len(states) == 3
    assert all(type(state) is bytes for state in states)
    followed = play(pool, 20)
    pool.load_state(states, np.arange(3))
    assert play(pool, 20) == followed
    # In another pool, under other seeds, after a close, and in another order: the state is all.
    other = make(num_envs=3, goal=5, max_episode_steps=9, autoreset=autoreset, seed=77)
    other.load_state(states, np.arange(3))
    assert play(other, 20) == followed
    other.close()
    other.reset()
    other.load_state(states[::-1], [2, 1, 0])
    assert play(other, 20) == followed


def test_some_environments(make):
    pool = make(num_envs=3, goal=0)
    pool.reset()
    play(pool, 3)
    (state,) = pool.save_state([1])
    first = play(pool, 4, [1])
    play(pool, 1, [0, 2])
    pool.load_state([state, state], [2, 0])
    assert play(pool, 4, [2]) == first
    assert play(pool, 4, [0]) == first
    assert pool.step([1], [1])["elapsed_step"].tolist() == [8]
    pool.load_state([], [])
    assert pool.save_state([]) == []
    assert pool.save_state([1]) == pool.save_state([1])


def test_an_episode_that_has_not_begun(make):
    pool = make(num_envs=1, autoreset="disabled")
    (fresh,) = pool.save_state([0])
    pool.reset()
    pool.step([1])
    pool.load_state([fresh], [0])
    refused(StateError, lambda: pool.step([1]))
    pool.reset()
    (running,) = pool.save_state([0])
    other = make(num_envs=1, autoreset="disabled")
    other.load_state([running], [0])
    assert other.step([5])["obs"].tolist() == [[1, 5]]


def test_every_changed_byte_is_noticed(make):
    pool = make(num_envs=2)
    pool.reset()
    play_two = [pool.step([i, i]) for i in range(3)]
    del play_two
    (state,) = pool.save_state([0])
    before = pool.save_state([0, 1])
    for at in range(len(state)):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(state)
            damaged[at] ^= flip
            message = refused(
                SavedStateError, lambda damaged=damaged: pool.load_state([bytes(damaged)], [0])
            )
            assert message.asked == "load_state of Test/Counter-v0"
            assert message.allowed == "what save_state of the same task and version returned"
    for wrong in (
        b"",
        b"x",
        state[:-1],
        state[1:],
        state + b"\0",
        state * 2,
        state[:32],
        b"\0" * 999,
    ):
        refused(SavedStateError, lambda wrong=wrong: pool.load_state([wrong], [0]))
    assert pool.save_state([0, 1]) == before


def test_a_list_with_one_bad_state_changes_nothing(make):
    pool = make(num_envs=3, goal=0)
    pool.reset()
    states = pool.save_state([0, 1, 2])
    play(pool, 5)
    before = pool.save_state([0, 1, 2])
    bad = states[2][:-1]
    for mixed in (
        [states[0], states[1], bad],
        [bad, states[1], states[2]],
        [states[0], bad, states[2]],
    ):
        refused(SavedStateError, lambda mixed=mixed: pool.load_state(mixed, [0, 1, 2]))
        assert pool.save_state([0, 1, 2]) == before
    refused(SavedStateError, lambda: pool.load_state([states[0], states[1], "x"], [0, 1, 2]))
    assert pool.save_state([0, 1, 2]) == before


def test_states_of_others(make, module):
    pool = make(num_envs=1)
    (state,) = pool.save_state([0])
    other = module.Counter.make({}, "Other-v0")
    message = refused(SavedStateError, lambda: other.load_state([state], [0]))
    assert message.got == "a state of another task"
    assert message.hint == "Save the state again with this version"


def test_a_state_knows_the_options_that_it_depends_on(make):
    (state,) = make(num_envs=1, goal=5, work_us=1).save_state([0])
    message = refused(SavedStateError, lambda: make(goal=6, work_us=1).load_state([state], [0]))
    assert message.got == "a state of a pool with another goal"
    assert message.allowed.endswith(", here goal=6")
    message = refused(SavedStateError, lambda: make(goal=6).load_state([state], [0]))
    assert message.got == "a state of a pool with another goal, work_us"
    # The pool's own options may differ.
    same = make(num_envs=2, goal=5, work_us=1, seed=3, num_threads=1, max_episode_steps=7)
    same.load_state([state, state], [0, 1])
    assert same.step([0, 0])["step_type"].tolist() == [0, 0]


def test_wrong_arguments(make):
    pool = make(num_envs=2)
    (state,) = pool.save_state([0])
    message = refused(SavedStateError, lambda: pool.load_state([state], [0, 1]))
    assert (message.got, message.allowed) == ("1 states", "2 states, one for each env id")
    for wrong in ("text", 5, None, bytearray(state), memoryview(state)):
        message = refused(SavedStateError, lambda wrong=wrong: pool.load_state([wrong], [0]))
        assert message.allowed == "bytes"
    message = refused(EnvIdError, lambda: pool.save_state([2]))
    assert (message.got, message.allowed) == ("env id 2", "0 .. 1")
    refused(EnvIdError, lambda: pool.load_state([state], [-1]))
