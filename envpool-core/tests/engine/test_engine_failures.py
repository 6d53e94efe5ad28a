# SPDX-License-Identifier: Apache-2.0
"""Environments that throw or break the rules: only their own result is lost, and a reset helps."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from envpool.errors import StateError, WorkerError
from refusals import refused

THREADS = (1, 2, 4)
TEXTS = {
    "step": "the motor burnt out",
    "done": "nobody knows",
    "late": "too late",
    "no allocate": r"Step\(\) returned without calling Allocate\(\)",
    "two allocate": r"Allocate\(\) was called twice in one Reset\(\) or Step\(\)",
    "players": r"Allocate\(2\): max_num_players is 1",
    "assign": "Assign got 3 values for an array of 2",
}


def failed(act):
    """The error that `act` raises, its message and attributes checked against each other."""
    message = refused(WorkerError, act)
    error = message.error
    assert error.task_id == "Test/Faulty-v0"
    env_id, text = error.failures[0]
    assert error.env_id == env_id
    # The author's text comes first, in a line of its own.
    assert message.asked == f"{text}\nrecv of Test/Faulty-v0"
    more = f" (and {len(error.failures) - 1} more)" if len(error.failures) > 1 else ""
    assert message.got == f"this exception in env {env_id}{more}"
    assert message.allowed == "none in Reset and Step"
    assert "Reset that environment to go on with it" in message.hint
    return error


@pytest.mark.parametrize("num_threads", THREADS)
@pytest.mark.parametrize("as_int", [False, True])
@pytest.mark.parametrize("where", TEXTS)
def test_a_step_that_fails(make, where, as_int, num_threads):
    pool = make(
        "Faulty",
        num_envs=4,
        num_threads=num_threads,
        where=where,
        envs=[1, 3],
        at=2,
        as_int=as_int,
    )
    pool.reset()
    pool.step([1, 2, 3, 4])
    error = failed(lambda: pool.step([5, 6, 7, 8]))
    assert sorted(env_id for env_id, _ in error.failures) == [1, 3]
    throws = as_int and where in ("step", "done", "late")
    text = "an exception that is not a std::exception" if throws else TEXTS[where]
    assert all(re.fullmatch(text, found) for _, found in error.failures)
    # The next result has the rows of the others.
    assert pool.num_in_flight == 2
    result = pool.recv()
    assert result["info:env_id"].tolist() == [0, 2]
    assert result["obs"].tolist() == [[2, 5], [2, 7]]
    assert [array.tolist() for array in result["info:owned"]] == [[0, 0, 0]] * 2
    refused(StateError, pool.recv)
    # The failed ones are refused until they are reset.
    for ids in ([1], [0, 3], None):
        message = refused(StateError, lambda ids=ids: pool.send([0] * len(ids or "1234"), ids))
        assert message.got in ("env 1, which failed before", "env 3, which failed before")
        assert message.hint == "Reset it first"
        assert pool.num_in_flight == 0
    refused(StateError, lambda: pool.save_state([1]))
    assert pool.step([9, 9], [0, 2])["obs"].tolist() == [[3, 9], [3, 9]]
    assert pool.reset([3])["obs"].tolist() == [[0, 0]]
    assert pool.step([4], [3])["obs"].tolist() == [[1, 4]]
    assert pool.reset()["info:env_id"].tolist() == [0, 1, 2, 3]
    assert pool.step([1, 2, 3, 4])["obs"][:, 0].tolist() == [1] * 4


@pytest.mark.parametrize("num_threads", THREADS)
def test_all_environments_fail(make, num_threads):
    pool = make("Faulty", num_envs=5, num_threads=num_threads, where="step")
    for _ in range(3):
        pool.reset()
        error = failed(lambda: pool.step([0] * 5))
        assert sorted(error.failures) == [(i, TEXTS["step"]) for i in range(5)]
        assert pool.num_in_flight == 0
        refused(StateError, pool.recv)


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_failures_of_an_asynchronous_pool(make, batch_size):
    pool = make(
        "Faulty", num_envs=4, batch_size=batch_size, num_threads=2, where="step", envs=[1], at=3
    )
    pool.async_reset()
    steps = np.full(4, -1)
    failures = 0
    end = time.monotonic() + 60
    while failures < 5:  # a few milliseconds, unless this thread runs alone for a while
        assert time.monotonic() < end
        try:
            result = pool.recv()
        except WorkerError as raised:
            error = raised
        else:
            error = None
        if error is not None:
            assert error.failures == [(1, TEXTS["step"])]
            assert steps[1] == 2
            failures += 1
            steps[1] = -1
            pool.async_reset([1])
            continue
        ids = result["info:env_id"]
        assert 1 <= len(ids) <= batch_size
        steps[ids] += 1
        assert result["obs"][:, 0].tolist() == steps[ids].tolist()
        pool.send(np.zeros(len(ids), int), ids)


@pytest.mark.parametrize("num_threads", THREADS)
def test_a_reset_that_fails(make, num_threads):
    pool = make("Faulty", num_envs=3, num_threads=num_threads, where="reset", envs=[2], at=2)
    pool.reset()
    error = failed(lambda: pool.reset())
    assert error.failures == [(2, "the level is missing")]
    assert pool.recv(reset=True)["info:env_id"].tolist() == [0, 1]
    # The third Reset of the same object works.
    assert pool.reset([2])["obs"].tolist() == [[0, 0]]
    pool.step([1, 2, 3])


def test_a_constructor_that_fails(make):
    for num_envs in (1, 3, 1000):
        for as_int in (False, True):
            message = refused(
                WorkerError,
                lambda num_envs=num_envs, as_int=as_int: make(
                    "Faulty",
                    num_envs=num_envs,
                    where="constructor",
                    envs=[num_envs - 1],
                    as_int=as_int,
                ),
            )
            text = (
                "an exception that is not a std::exception" if as_int else "no memory for the board"
            )
            assert message.asked == f"{text}\nmake of Test/Faulty-v0"
            assert message.got == f"this exception in the constructor of env {num_envs - 1}"
            assert message.error.task_id == "Test/Faulty-v0"
            assert message.error.env_id == num_envs - 1
            assert message.error.failures == [(num_envs - 1, text)]


@pytest.mark.parametrize("as_int", [False, True])
def test_a_constructor_that_fails_in_a_reset(make, as_int):
    pool = make(
        "Faulty", num_envs=3, num_threads=2, where="constructor", seed_only=7, as_int=as_int
    )
    pool.reset()
    for _ in range(2):
        error = failed(lambda: pool.reset(seed=[1, 7, 2]))
        assert [env_id for env_id, _ in error.failures] == [1]
        assert pool.recv()["info:env_id"].tolist() == [0, 2]
        refused(StateError, lambda: pool.step([0], [1]))
        # There is no object any more; a reset makes one, and fails under the same seed again.
        error = failed(lambda: pool.reset([1]))
        assert pool.num_in_flight == 0
    assert pool.reset([1], seed=8)["info:env_id"].tolist() == [1]
    assert pool.step([1, 2, 3])["obs"].tolist() == [[1, 1], [1, 2], [1, 3]]


def test_a_constructor_that_fails_when_a_pool_is_opened_again(make):
    pool = make("Faulty", num_envs=2, where="constructor", seed_only=7)
    pool.reset()
    failed(lambda: pool.reset(seed=[1, 7]))
    pool.close()
    message = refused(WorkerError, pool.reset)
    assert message.asked == "no memory for the board\nmake of Test/Faulty-v0"
    assert pool.closed
    refused(StateError, lambda: pool.step([0, 0]))


def test_a_failure_in_a_same_step_reset(make):
    pool = make(
        "Faulty",
        num_envs=2,
        where="reset",
        envs=[0],
        at=2,
        autoreset="same_step",
        max_episode_steps=2,
    )
    pool.reset()
    pool.step([1, 1])
    error = failed(lambda: pool.step([2, 2]))
    assert error.failures == [(0, "the level is missing")]
    result = pool.recv()
    assert result["info:env_id"].tolist() == [1]
    assert result["final obs"].tolist() == [[2, 2]]
    assert result["final info:owned"][0].tolist() == [0, 0, 0]
    assert result["info:owned"][0].tolist() == [0]
    assert pool.reset([0])["obs"].tolist() == [[0, 0]]


@pytest.mark.parametrize("num_threads", THREADS)
def test_a_failure_next_to_partial_sends(make, num_threads):
    pool = make("Faulty", num_envs=5, num_threads=num_threads, where="step", envs=[2])
    pool.reset()
    pool.send([1, 2], [4, 2])
    pool.send([3], [0])
    assert failed(pool.recv).env_id == 2
    # New results are a batch of their own, which a step is waiting for.
    result = pool.step([4, 5], [3, 1])
    assert result["info:env_id"].tolist() == [3, 1]
    assert pool.recv()["info:env_id"].tolist() == [4, 0]
    refused(StateError, pool.recv)


def test_a_reset_forgets_a_failure_that_was_not_reported(make):
    pool = make("Faulty", num_envs=3, where="step", envs=[1])
    pool.reset()
    pool.send([1, 2, 3])
    assert pool.reset([0])["info:env_id"].tolist() == [0]
    assert pool.reset([1])["info:env_id"].tolist() == [1]
    assert pool.recv()["info:env_id"].tolist() == [2]
    pool.reset()
    pool.send([1, 2], [0, 1])
    pool.reset([0])
    pool.reset()
    refused(StateError, pool.recv)
    pool.reset()
    pool.send([1, 2], [0, 1])
    pool.reset([0])
    assert failed(pool.recv).env_id == 1
    refused(StateError, pool.recv)


def test_many_failures_in_a_row(make):
    """Failing again and again neither leaks results nor wears out the pool."""
    pool = make("Faulty", num_envs=6, num_threads=2, where="late", envs=[0, 5])
    for _ in range(300):
        pool.reset()
        failed(lambda: pool.step([1] * 6))
        assert pool.recv()["info:env_id"].tolist() == [1, 2, 3, 4]
