# SPDX-License-Identifier: Apache-2.0
"""The rows that come back, and their order: all, some, in pieces, of resets in between."""

from __future__ import annotations

import numpy as np
import pytest
from envpool.errors import StateError, WorkerError
from refusals import refused

THREADS = (1, 2, 4)


@pytest.mark.parametrize("num_threads", THREADS)
@pytest.mark.parametrize("num_envs", [1, 2, 5, 64, 200])
def test_synchronous_rows_are_in_the_order_of_the_call(make, num_envs, num_threads):
    pool = make(num_envs=num_envs, num_threads=num_threads, goal=0)
    rng = np.random.default_rng(0)
    steps = np.zeros(num_envs, int)
    assert pool.reset()["info:env_id"].tolist() == list(range(num_envs))
    for _ in range(30):
        ids = rng.permutation(num_envs)[: rng.integers(1, num_envs + 1)]
        action = rng.integers(0, 1000, len(ids))
        result = pool.step(action, ids)
        steps[ids] += 1
        assert result["info:env_id"].tolist() == ids.tolist()
        assert result["info:players.env_id"].tolist() == ids.tolist()
        assert result["obs"].tolist() == np.stack([steps[ids], action], 1).tolist()
        assert result["elapsed_step"].tolist() == steps[ids].tolist()
        assert result["reward"].tolist() == steps[ids].tolist()
        assert result["discount"].tolist() == [1] * len(ids)
        assert result["step_type"].tolist() == [1] * len(ids)
        assert result["info:seed"].tolist() == (42 + ids).tolist()
        for name in ("done", "trunc", "terminated"):
            assert not result[name].any()


@pytest.mark.parametrize("num_threads", THREADS)
def test_a_reset_replaces_what_is_in_flight(make, num_threads):
    pool = make(num_envs=4, num_threads=num_threads)
    pool.reset()
    pool.send([1, 2, 3, 4])
    result = pool.reset([3, 1])
    assert result["info:env_id"].tolist() == [3, 1]
    assert result["step_type"].tolist() == [0, 0]
    # The other environments in flight are still to be received.
    assert pool.num_in_flight == 2
    rest = pool.recv()
    assert rest["info:env_id"].tolist() == [0, 2]
    assert rest["obs"].tolist() == [[1, 1], [1, 3]]
    pool.send([5, 6, 7, 8])
    assert pool.reset()["obs"].tolist() == [[0, 0]] * 4
    assert pool.num_in_flight == 0
    pool.async_reset()
    pool.async_reset([1])
    assert sorted(np.concatenate([pool.recv()["info:env_id"] for _ in range(2)])) == [0, 1, 2, 3]
    refused(StateError, pool.recv)


@pytest.mark.parametrize("num_threads", THREADS)
@pytest.mark.parametrize("batch_size", [1, 3, 7])
@pytest.mark.parametrize("jitter_us", [0, 200])
def test_asynchronous_rows(make, batch_size, num_threads, jitter_us):
    num_envs = 8
    pool = make(
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        jitter_us=jitter_us,
        goal=0,
    )
    rng = np.random.default_rng(1)
    steps = np.full(num_envs, -1)
    action = np.zeros(num_envs, int)
    pool.async_reset()
    for _ in range(100):
        result = pool.recv()
        ids = result["info:env_id"]
        assert len(ids) == batch_size
        assert len(set(ids.tolist())) == batch_size
        steps[ids] += 1
        assert result["obs"][:, 0].tolist() == steps[ids].tolist()
        assert result["obs"][:, 1].tolist() == action[ids].tolist()
        action[ids] = rng.integers(0, 1000, batch_size)
        # Actions without ids are for the environments of the batch that was received last.
        pool.send(action[ids]) if rng.random() < 0.5 else pool.send(action[ids], ids)
        assert pool.num_in_flight == num_envs


def test_every_environment_has_its_turn(make):
    # The caller makes cheap steps; it must not go on with the environments that it sent last.
    pool = make("Pole", num_envs=8, batch_size=2, num_threads=2)
    pool.async_reset()
    seen = np.zeros(8, int)
    for _ in range(4000):
        ids = pool.recv()["info:env_id"]
        seen[ids] += 1
        pool.send(np.zeros(2, int), ids)
    # 1000 each on average; the bound leaves room for a thread that loses its CPU.
    assert seen.min() > 250, seen


def test_asynchronous_steps_are_the_batch_that_is_ready(make, module):
    pool = make("Gated", num_envs=3, batch_size=2, num_threads=3, gated=True)
    pool.async_reset()
    first = pool.recv()
    pool.send([0, 0], first["info:env_id"])
    ready = pool.recv()
    assert len(set(ready["info:env_id"].tolist())) == 2
    slow = int(ready["info:env_id"][0])
    module.close_gates([slow])
    pool.send([1, 2], ready["info:env_id"])
    assert module.await_held(1, 30)
    for _ in range(5):
        result = pool.recv(timeout=30)
        assert slow not in result["info:env_id"]
        pool.send([0, 0])
    assert pool.num_in_flight == 3
    module.open_gates()


@pytest.mark.parametrize("name", ["Counter", "Arrays", "Crowd"])
@pytest.mark.parametrize("seed", range(8))
def test_asynchronous_resets_lose_nothing(make, name, seed):
    """Random calls: each result is received once, a reset has its own rows and no others."""
    rng = np.random.default_rng(seed)
    num_envs = int(rng.integers(2, 12))
    batch_size = int(rng.integers(1, num_envs))
    own = {"Counter": {"goal": 3, "jitter_us": 50}}.get(name, {})
    pool = make(name, num_envs=num_envs, batch_size=batch_size, num_threads=3, **own)
    pool.async_reset()
    idle: set[int] = set()
    episodes = dict.fromkeys(range(num_envs), -1)  # the step that comes next, -1: unknown

    def check(result, reset):
        ids = result["info:env_id"].tolist()
        assert not idle & set(ids)
        idle.update(ids)
        for id_, steps in zip(ids, result["elapsed_step"].tolist(), strict=True):
            assert steps == 0 if reset else episodes[id_] in (-1, steps)
            episodes[id_] = steps + 1 if name == "Counter" and steps < 3 else -1

    for _ in range(60):
        some = rng.permutation(sorted(idle))[: rng.integers(0, len(idle) + 1)].astype(np.int32)
        if rng.random() < 0.4 and len(some):
            idle -= set(some.tolist())
            result = pool.reset(some)
            assert result["info:env_id"].tolist() == some.tolist()
            check(result, True)
        elif len(some) and name == "Counter":
            idle -= set(some.tolist())
            pool.send(np.ones(len(some), int), some)
        elif num_envs - len(idle) >= batch_size:
            result = pool.recv(timeout=30)
            assert len(result["info:env_id"]) == batch_size
            check(result, False)
    assert pool.num_in_flight == num_envs - len(idle)


def test_what_fails_in_a_reset_of_some(make):
    pool = make("Faulty", num_envs=4, batch_size=2, num_threads=2, where="reset", envs=[1], at=2)
    pool.async_reset()
    for _ in range(2):
        pool.recv()
    pool.send([7, 8], [0, 2])
    message = refused(WorkerError, lambda: pool.reset([3, 1]))
    assert "env 1" in message.got
    assert "3 environments are kept" in message.hint
    ids = pool.recv()["info:env_id"].tolist()
    assert set(ids) < {0, 2, 3}
    assert pool.num_in_flight == 1
    assert pool.reset([1])["info:env_id"].tolist() == [1]
