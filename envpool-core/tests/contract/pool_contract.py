# SPDX-License-Identifier: Apache-2.0
"""The contract of a pool, for every kind of pools: accepted calls, results and refusals.

Core's tests run these for compiled pools; those of envpool-python, envpool-ray and envpool-jax for
theirs, each with fixtures of its own:

    make    makes a raw pool of Counters, see `pool_model`, and closes it after the test
    dice    `make`, and the name of a column with a number that the environment draws
"""

from __future__ import annotations

import decimal
import threading

import numpy as np
import pytest
from envpool.errors import (
    ActionError,
    ConfigError,
    EnvIdError,
    RecvTimeoutError,
    StateError,
)
from refusal_table import REFUSALS, pools_for, words
from refusals import refused

COLUMNS = ("obs", "elapsed_step", "reward", "done", "terminated", "trunc", "step_type", "discount")


def rows(result, columns=COLUMNS):
    """The first row, each column as a Python value; of obs the number of steps."""
    found = []
    for name in columns:
        value = result[name][0]
        found.append(int(value[0]) if name.endswith("obs") else value.item())
    return tuple(found)


@pytest.mark.parametrize("calls_before", [0, 3])
def test_wrong_ids(make, calls_before):
    pool = make(num_envs=4)
    pool.reset()
    for _ in range(calls_before):
        pool.step([0] * 4)
    whole = "a whole number or a one-dimensional array of them"
    see = "Pass ids of this pool, see all_env_ids"

    def wrong(ids):
        found = []
        for call in (
            lambda: pool.step(np.zeros(np.size(ids), int), ids),
            lambda: pool.send(np.zeros(np.size(ids), int), ids),
            lambda: pool.reset(ids),
            lambda: pool.async_reset(ids),
        ):
            found.append(refused(EnvIdError, call))
            assert " of Test/Counter-v0" in found[-1].asked or "to Test/" in found[-1].asked
            assert pool.num_in_flight == 0
        assert len({message[1:4] for message in found}) == 1
        return found[0][1:4]

    assert wrong([4]) == ("env id 4", "0 .. 3", see)
    assert wrong([0, -1]) == ("env id -1", "0 .. 3", see)
    assert wrong(-5) == ("env id -5", "0 .. 3", see)
    assert wrong(np.array([2**63 - 1])) == (f"env id {2**63 - 1}", "0 .. 3", see)
    assert wrong([2**32]) == (f"env id {2**32}", "0 .. 3", see)
    assert wrong([1, 0, 1]) == ("env 1 twice", "every env id once per call", "Remove the duplicate")
    assert wrong([[0, 1]]) == ("an array of 2 dimensions", whole, see)
    assert wrong([0.0, 1.0]) == ("[0.0, 1.0] of dtype float64", whole, see)
    assert wrong(["0"]) == ("['0'] of dtype <U1", whole, see)
    assert wrong([True, False, True, False])[0].endswith("of dtype bool")
    assert wrong("1")[0] == "'1' of dtype <U1"
    with pytest.raises(EnvIdError):
        pool.reset([[0], [1, 2]])
    with pytest.raises(EnvIdError):
        pool.reset([2**70])
    # A refusal leaves no marks: the same ids are good now.
    assert pool.step([5, 6, 7], [1, 0, 2])["info:env_id"].tolist() == [1, 0, 2]


def test_a_refused_reset_keeps_what_is_in_flight(make):
    pool = make(num_envs=4)
    pool.reset()
    pool.send([1, 2, 3, 4])
    assert refused(EnvIdError, lambda: pool.reset([1, 1])).got == "env 1 twice"
    assert pool.num_in_flight == 4
    assert pool.recv()["info:env_id"].tolist() == [0, 1, 2, 3]


def test_nothing_in_flight(make):
    pool = make(num_envs=2)
    for _ in range(2):
        message = refused(StateError, pool.recv)
        assert message.asked == "recv of Test/Counter-v0"
        assert (message.got, message.allowed) == ("0 results in flight", "at least 1")
        assert "recv(timeout=...), which waits for what another thread" in message.hint
        pool.reset()
    pool.send([1], [0])
    pool.recv()
    message = refused(RecvTimeoutError, lambda: pool.recv(timeout=0))
    assert message.got == "0 of 1 results in flight before the time was over"


@pytest.mark.parametrize("timeout", [-1, -0.001, float("nan"), float("-inf")])
def test_a_wrong_timeout(make, timeout):
    pool = make()
    pool.async_reset()
    message = refused(ConfigError, lambda: pool.recv(timeout=timeout))
    assert message.allowed == "seconds from 0, or None to wait for as long as it takes"
    assert pool.recv(timeout=float("inf"))["info:env_id"].tolist() == [0]


def test_a_closed_pool(make):
    pool = make(num_envs=2, num_threads=2)
    pool.reset()
    pool.send([1, 2])
    assert not pool.closed
    for _ in range(3):
        pool.close()
        assert pool.closed
        assert pool.num_in_flight == 0
    for name, call in (
        ("step or send", lambda: pool.step([1, 2])),
        ("step or send", lambda: pool.send([1, 2])),
        ("step or send", lambda: pool.send([1], [1])),
        ("recv", lambda: pool.recv()),
        ("recv", lambda: pool.recv(timeout=1)),
        ("save_state", lambda: pool.save_state([0])),
        ("load_state", lambda: pool.load_state([b""], [0])),
    ):
        message = refused(StateError, call)
        assert message.asked == f"{name} of Test/Counter-v0"
        assert message.got == "a closed pool"
        assert message.allowed == "reset and async_reset, which open it again"
        assert message.hint == "Call reset() or make a new pool"
    assert pool.reset()["obs"].tolist() == [[0, 0], [0, 0]]
    assert not pool.closed
    assert pool.step([3, 4])["obs"].tolist() == [[1, 3], [1, 4]]
    pool.close()
    pool.async_reset()
    assert pool.recv()["step_type"].tolist() == [0, 0]


@pytest.mark.parametrize("calls_before", [0, 1, 5])
def test_wrong_actions_of_one_key(make, calls_before):
    pool = make(num_envs=3)
    pool.reset()
    for _ in range(calls_before):
        pool.step([1, 2, 3])

    def wrong(action, *env_id):
        messages = [
            refused(ActionError, lambda call=call: call(action, *env_id))
            for call in (pool.step, pool.send)
        ]
        assert messages[0][:4] == messages[1][:4]
        assert messages[0].asked == "action 'action' of Test/Counter-v0"
        assert messages[0].hint == "Correct the action; nothing was sent"
        assert pool.num_in_flight == 0
        return messages[0].got, messages[0].allowed

    rows = "shape (3,), one row per environment id"
    assert wrong([1, 2]) == ("shape (2,)", rows)
    assert wrong([1, 2, 3, 4]) == ("shape (4,)", rows)
    assert wrong([]) == ("shape (0,)", rows)
    assert wrong(1) == ("shape ()", rows)
    assert wrong([[1, 2, 3]]) == ("shape (1, 3)", rows)
    assert wrong([[1, 2], [2, 3], [3, 4]]) == ("shape (3, 2)", rows)
    assert wrong([[1], [2]]) == ("shape (2, 1)", rows)
    assert wrong(np.zeros((3, 1, 1))) == ("shape (3, 1, 1)", rows)
    assert wrong([1, 2, 3], [0, 1]) == ("shape (3,)", "shape (2,), one row per environment id")
    numbers = "whole numbers 0 .. 999"
    assert wrong([0, 1000, 0]) == ("1000 for env 1", numbers)
    assert wrong([0, 1000], [0, 2]) == ("1000 for env 2", numbers)
    assert wrong([0, 0, -1]) == ("-1 for env 2", numbers)
    assert wrong([0, 0, 2**40]) == (f"{2**40} for env 2", numbers)
    assert wrong([0.5, 0, 0]) == ("0.5 for env 0", numbers)
    assert wrong([0, np.nan, 0]) == ("nan for env 1", numbers)
    assert wrong(np.array([0, np.inf, 0], np.float32)) == ("inf for env 1", numbers)
    shape = "numbers of shape (3,)"
    for action, dtype in (
        (["a", "b", "c"], "<U1"),
        ([1j, 0, 0], "complex128"),
        ([None, 0, 0], "object"),
        (np.array([1, 2, 3], "m8[s]"), "timedelta64[s]"),
        (np.array([1, 2, 3], "M8[s]"), "datetime64[s]"),
        ([decimal.Decimal(1)] * 3, "object"),
        ([2**70, 0, 0], "object"),
        (np.zeros(3, [("a", int)]), "[('a', '<i8')]"),
    ):
        got, allowed = wrong(action)
        assert got.endswith(f" of dtype {dtype}")
        assert allowed == shape
    assert wrong("abc") == ("'abc' of dtype <U3", shape)
    assert wrong(None) == ("None of dtype object", shape)
    got, allowed = wrong([[1], [2, 3], []])
    assert (got, allowed) == ("[[1], [2, 3], []]", shape)
    assert pool.step([7, 8, 9])["obs"].tolist() == [
        [calls_before + 1, 7],
        [calls_before + 1, 8],
        [calls_before + 1, 9],
    ]


def test_a_lone_number_for_a_lone_environment(make):
    pool = make()
    pool.reset()
    for action in (3, 3.0, np.int8(3), np.array(3)):
        assert pool.step(action)["obs"][0, 1] == 3
    assert pool.step({"action": 4})["obs"][0, 1] == 4
    pool = make(num_envs=2)
    pool.reset()
    assert pool.step(5, 1)["obs"].tolist() == [[1, 5]]


def test_things_that_look_like_arrays(make):
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.array([4, 5], dtype)

    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no array today")

    pool = make(num_envs=2)
    pool.reset()
    for action in (Array(), memoryview(np.array([4, 5])), range(4, 6), np.ma.array([4, 5])):
        assert pool.step(action)["obs"][:, 1].tolist() == [4, 5]
    message = refused(ActionError, lambda: pool.step(Broken()))
    assert message.allowed == "numbers of shape (2,)"


def test_an_asynchronous_pool_takes_actions_for_the_last_batch(make):
    pool = make(num_envs=4, batch_size=3)
    refused(StateError, pool.recv)
    pool.async_reset()
    ids = pool.recv()["info:env_id"]
    message = refused(ActionError, lambda: pool.send([1, 2]))
    assert message.allowed == "shape (3,), one row per environment id"
    refused(ActionError, lambda: pool.send(1))
    refused(ActionError, lambda: pool.send({"action": [1, 2]}))
    pool.send({"action": [1, 2, 3]})
    result = pool.recv()
    by_env = dict(zip(ids.tolist(), [1, 2, 3], strict=True)) | {6 - sum(ids.tolist()): 0}
    for env_id, obs in zip(result["info:env_id"].tolist(), result["obs"], strict=True):
        assert obs[1] == by_env[env_id]


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
    final = ("final obs", "final elapsed_step")
    for _ in range(3):
        result = pool.step([1, 1])
        assert rows(result) == (1, 1, 1.0, False, False, False, 1, 1.0)
        assert rows(result, final) == (0, 0)
        # Reward and flags are of the step that ended the episode, the observation of the next.
        result = pool.step([3, 3])
        assert rows(result) == (0, 0, 2.0, True, True, False, 2, 0.0)
        assert rows(result, final) == (2, 2)
        assert result["final obs"][0].tolist() == [2, 3]


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


def test_ids_may_be_given_in_many_ways(make):
    pool = make(num_envs=4)
    pool.reset()
    for ids in (
        [2, 0],
        (2, 0),
        np.array([2, 0], np.int8),
        np.array([2, 0], np.uint64),
        np.array([2, 0], ">i4"),
        np.array([2, 9, 0, 9], np.int32)[::2],
        np.frombuffer(b"x" + np.array([2, 0], np.int32).tobytes(), np.int32, 2, 1),
    ):
        assert pool.step([1, 2], ids)["info:env_id"].tolist() == [2, 0]
        assert pool.reset(ids)["info:env_id"].tolist() == [2, 0]
        assert pool.step({"action": [1, 2], "env_id": ids})["info:env_id"].tolist() == [2, 0]
    for one in (3, np.int32(3), np.array(3), [3]):
        assert pool.step([7], one)["obs"][0, 1] == 7
        assert pool.reset(one)["info:env_id"].tolist() == [3]


def test_two_partial_sends_before_one_recv(make):
    pool = make(num_envs=5, num_threads=2)
    pool.reset()
    pool.send([10, 11], [3, 1])
    pool.send([12], [4])
    assert pool.num_in_flight == 3
    result = pool.recv()
    assert result["info:env_id"].tolist() == [3, 1, 4]
    assert result["obs"][:, 1].tolist() == [10, 11, 12]
    pool.send([13], [0])
    result = pool.step([14, 15], [2, 1])
    assert result["info:env_id"].tolist() == [0, 2, 1]
    assert result["obs"].tolist() == [[1, 13], [1, 14], [2, 15]]
    assert pool.num_in_flight == 0


def test_a_call_that_names_nobody_changes_nothing(make):
    pool = make(num_envs=3)
    pool.reset()
    for ids in ([], (), np.array([], np.int32), np.array([], np.int64)):
        for result in (pool.step(np.zeros(0, np.int32), ids), pool.reset(ids)):
            assert {name: len(array) for name, array in result.items()} == dict.fromkeys(result, 0)
            assert result["obs"].shape == (0, 2)
        pool.send([], ids)
        pool.async_reset(ids)
        assert pool.num_in_flight == 0
    pool.send([5], [1])
    pool.async_reset([])
    assert pool.reset([])["obs"].shape == (0, 2)
    assert pool.recv()["obs"].tolist() == [[1, 5]]
    assert pool.step([6], [1])["obs"].tolist() == [[2, 6]]


def test_a_reset_of_some(make):
    pool = make(num_envs=4)
    pool.reset()
    pool.step([1, 2, 3, 4])
    result = pool.reset([2, 0])
    assert result["info:env_id"].tolist() == [2, 0]
    assert result["obs"].tolist() == [[0, 0], [0, 0]]
    assert result["step_type"].tolist() == [0, 0]
    assert result["elapsed_step"].tolist() == [0, 0]
    assert pool.step([5, 6, 7, 8])["obs"].tolist() == [[1, 5], [2, 6], [1, 7], [2, 8]]


def test_an_asynchronous_reset_of_all_drops_what_is_in_flight(make):
    pool = make(num_envs=4, batch_size=3, num_threads=2)
    pool.async_reset()
    pool.send([1, 2, 3], pool.recv()["info:env_id"])
    assert pool.num_in_flight == 4
    result = pool.reset()
    assert result["step_type"].tolist() == [0, 0, 0]
    assert pool.num_in_flight == 1
    message = refused(StateError, pool.recv)
    assert message.got == "1 results in flight"
    assert message.allowed.startswith("at least 3 (batch_size)")
    pool.send([4, 5, 6])
    result = pool.recv()
    assert sorted(result["step_type"].tolist()) in ([0, 1, 1], [1, 1, 1])


def test_an_asynchronous_reset_of_some(make):
    pool = make(num_envs=4, batch_size=2, num_threads=2)
    pool.async_reset()
    ids = pool.recv()["info:env_id"]
    message = refused(EnvIdError, lambda: pool.reset([i for i in range(4) if i not in ids]))
    assert "in flight" in message.got
    ids = ids[::-1]
    result = pool.reset(ids)
    assert result["info:env_id"].tolist() == ids.tolist()
    assert result["step_type"].tolist() == [0, 0]
    assert pool.num_in_flight == 2
    assert set(pool.recv()["info:env_id"].tolist()) == set(range(4)) - set(ids.tolist())
    assert pool.num_in_flight == 0


def test_a_reset_returns_no_rows_of_others(make):
    pool = make(num_envs=4, num_threads=2)
    pool.reset()
    pool.send([1, 2], [0, 1])
    assert pool.reset([2])["info:env_id"].tolist() == [2]
    assert pool.step([3], [2])["obs"].tolist() == [[1, 3]]
    assert pool.num_in_flight == 2
    rest = pool.recv()
    assert (rest["info:env_id"].tolist(), rest["obs"].tolist()) == ([0, 1], [[1, 1], [1, 2]])
    refused(StateError, pool.recv)


def test_what_cannot_be_received_is_not_sent(make):
    pool = make(num_envs=4, batch_size=3)
    for call in (
        lambda: pool.step([1, 1], [0, 1]),
        lambda: pool.recv(),
    ):
        message = refused(StateError, call)
        assert message.allowed == "at least 3 (batch_size), so that a batch can be filled"
        assert "Send actions to, or reset, more" in message.hint
        assert pool.num_in_flight == 0


def test_threads_that_send_and_receive(make):
    """One thread sends, another receives, as actor and learner do."""
    pool = make(num_envs=6, batch_size=2, num_threads=2, goal=0)
    pool.async_reset()
    received: list[int] = []
    ready: list[list[int]] = []
    changed = threading.Condition()

    def receive():
        for _ in range(600):
            ids = pool.recv(timeout=30)["info:env_id"].tolist()
            with changed:
                received.extend(ids)
                ready.append(ids)
                changed.notify()

    thread = threading.Thread(target=receive)
    thread.start()
    for _ in range(600):
        with changed:
            assert changed.wait_for(lambda: ready, 30)
            ids = ready.pop(0)
        pool.send([1, 1], ids)
    thread.join(60)
    assert not thread.is_alive()
    counts = np.bincount(received, minlength=6)
    assert counts.sum() == 1200
    assert counts.min() > 20


@pytest.mark.parametrize("batch_size", [4, 2])
def test_receiving_what_another_thread_is_still_to_send(make, batch_size):
    pool = make(num_envs=4, batch_size=batch_size, goal=0)
    results = []
    receive = threading.Thread(target=lambda: results.append(pool.recv(timeout=60)))
    receive.start()
    pool.async_reset([0])
    pool.async_reset([2])
    receive.join(60)
    assert not receive.is_alive()
    # A synchronous pool returns the environments that were in flight when recv looked at them.
    rows = sorted(results[0]["info:env_id"].tolist())
    if rows == [0]:
        rows += pool.recv(timeout=60)["info:env_id"].tolist()
    assert rows == [0, 2]


def test_receiving_from_a_pool_that_another_thread_closes(make):
    pool = make(num_envs=2)
    errors = []

    def receive():
        try:
            pool.recv(timeout=60)
        except StateError as error:
            errors.append(error)

    thread = threading.Thread(target=receive)
    thread.start()
    pool.close()
    thread.join(30)
    assert not thread.is_alive()
    assert errors[0].got == "a closed pool"


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_seeds(dice, autoreset):
    make, column = dice

    def drawn(pool, **reset):
        result = pool.reset(**reset)[column]
        return result.reshape(len(result), -1)[:, 0].tolist()

    def first(seeds):
        return drawn(make(num_envs=len(seeds), env_seed=seeds))

    pool = make(num_envs=3, seed=7, autoreset=autoreset)
    begun = drawn(pool)
    assert begun == first([7, 8, 9]) and len(set(begun)) == 3
    assert drawn(pool) != begun
    assert drawn(pool, seed=7) == begun
    assert drawn(pool, env_id=[2, 0], seed=50) == first([52, 50])
    assert drawn(pool, env_id=[1], seed=[5]) == first([5])
    assert drawn(pool, seed=[2**40, 0, np.int64(4)]) == first([2**40, 0, 4])
    drawn(pool)
    pool.close()
    # A pool that is opened again begins with the seeds that it had last.
    assert drawn(pool) == first([2**40, 0, 4])


def test_wrong_seeds(make):
    pool = make(num_envs=3)
    wrong = (
        (-1, "-1"),
        (2**63, str(2**63)),
        (2**63 - 3, str(2**63 - 3)),
        (1.5, "1.5"),
        ("abc", "'abc'"),
        ([1, 2], "2 seeds"),
        ([1, 2, -3], "[1, 2, -3]"),
        ([1, None, 3], "[1, None, 3]"),
        ([1, 2, "x"], "[1, 2, 'x']"),
        ([1, 2, 2**64], f"[1, 2, {2**64}]"),
    )
    for call in (pool.reset, pool.async_reset):
        for seed, got in wrong:
            message = refused(ConfigError, lambda call=call, seed=seed: call(None, seed))
            assert message[:2] == ("reset(seed=...) of Test/Counter-v0", got)
            assert message.allowed == (
                "a whole number from 0, or a sequence of 3 of them, one for each environment that "
                "is reset"
            )
            assert message.hint == "Correct the seed; nothing was reset"
            assert pool.num_in_flight == 0


def test_players_told_in_another_order(make):
    """`players.env_id` says whose each row is; one player in each may be told, too."""
    pool = make(num_envs=4)
    pool.reset()

    def step(players):
        action = {"action": np.arange(len(players)) + 5, "players.env_id": np.array(players)}
        return pool.step(action, np.array([0, 1, 3]))

    assert step([3, 0, 1])["obs"].tolist() == [[1, 6], [1, 7], [1, 5]]
    for told, error, got, allowed in (
        ([0, 0, 1], ActionError, "more than 1 players for env 0", "at most max_num_players, 1"),
        ([0, 1], ActionError, "no player for env 3", "one player for each env in env_id"),
        ([0, 1, 2, 3], ActionError, "a player of env 2", "players of the envs in env_id"),
        ([0, 1, 4], EnvIdError, "env id 4", "0 .. 3"),
    ):
        message = refused(error, lambda told=told: step(told))
        assert message[:3] == ("players.env_id of Test/Counter-v0", got, allowed)
    assert pool.num_in_flight == 0


def test_one_action_for_everybody(make):
    """Rows for all do for some if all are the same: which is whose does not matter."""
    pool = make(num_envs=4)
    pool.reset()
    assert pool.step(np.full(4, 7), [3, 1])["obs"].tolist() == [[1, 7], [1, 7]]
    assert refused(ActionError, lambda: pool.step([7, 7, 8, 7], [3, 1])).got == "shape (4,)"
    refused(ActionError, lambda: pool.step([7, 7, 7], [3, 1]))


def test_rows_are_in_the_order_of_the_call(make):
    """Also where some of the environments have not been reset: their step is a reset."""
    pool = make(num_envs=5)
    pool.reset([3, 0])
    result = pool.step([1, 2, 3, 4], [4, 3, 1, 0])
    assert result["info:env_id"].tolist() == [4, 3, 1, 0]
    assert result["obs"].tolist() == [[0, 0], [1, 2], [0, 0], [1, 4]]
    pool.reset([2])
    result = pool.step(np.arange(5))
    assert result["obs"].tolist() == [[2, 0], [1, 1], [1, 2], [2, 3], [1, 4]]


def test_the_words_of_refusals(make):
    with pools_for(make) as pool_for:
        for refusal in REFUSALS:
            found = words(pool_for(refusal), refusal)
            assert found == (refusal.error, refusal.got, refusal.allowed), refusal.call
