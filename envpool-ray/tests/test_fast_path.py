# SPDX-License-Identifier: Apache-2.0
"""Calls that compiled code does: they are used, give what the others do, and go over into them."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import envpool
import envpool_ray
import numpy as np
import pytest
from comparing import assert_same
from envpool.errors import ActionError, EnvIdError, StateError, WorkerError
from envpool_ray import _fast_path

SMALL = {"num_actors": 2, "cpus_per_actor": 1, "num_threads": 1, "num_envs": 4, "seed": 2}
ONES = np.ones(4, np.int64)
ALL_WAYS = pytest.mark.parametrize(
    "shared_memory", ["shared", "copied", "elsewhere"], indirect=True
)


@pytest.fixture(autouse=True)
def armed_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast path stays armed between two calls, however long this process is held up."""
    monkeypatch.setattr(_fast_path, "_ARMED_SECONDS", 1e3)


def fast_calls(pool: Any) -> int:
    """Calls of the fast path since it was armed; -1: it is not."""
    # The pool of env_type="vector" is in one that keeps the last observation.
    ray_pool = getattr(pool._compiled, "inner", pool._compiled)
    calls = ray_pool._fast_path.armed
    return -1 if calls is None else calls.count


def steps_until_fast(*pools: Any) -> list[Any]:
    """Steps until the fast path of the first has made a call; the last results.

    An actor that is held up for half a second ends it, and the next call begins it again.
    """
    for _ in range(1000):
        results = [pool.step(ONES) for pool in pools]
        if fast_calls(pools[0]) > 0:
            return results
    raise AssertionError("the fast path is never used")


@ALL_WAYS
@pytest.mark.parametrize("flavour", ["gymnasium", "vector", "dm"])
def test_synchronous_calls_are_fast(flavour: str) -> None:
    with (
        envpool_ray.make("Ledger-v0", flavour, **SMALL) as ours,
        envpool.make("Ledger-v0", flavour, num_envs=4, seed=2) as reference,
    ):
        assert_same(ours.reset(), reference.reset())
        chance = np.random.default_rng(1)
        for step in range(30):
            action = chance.integers(0, 6, 4).astype([np.int64, np.int32][step % 2])
            before = fast_calls(ours)
            kept = ours.step(
                action
            )  # of the step before it is still held: memory is not used again
            assert_same(kept, reference.step(action))
            assert fast_calls(ours) == before + 1 or fast_calls(ours) == 0  # an actor was late


@ALL_WAYS
@pytest.mark.parametrize("batch", [1, 2])
def test_asynchronous_calls_are_fast(batch: int) -> None:
    """Batches are requests, or halves of the first ones."""
    with envpool_ray.make("Ledger-v0", **SMALL, batch_size=batch) as ours:
        ours.async_reset()
        used = 0
        for _ in range(1000):  # until it is used, and 20 more
            before = fast_calls(ours)
            ids = ours.recv()[4]["env_id"]
            ours.send(np.ones(batch, np.int64), ids)
            used += before > 0 and fast_calls(ours) == before + 2
            if used == 20:
                break
        assert used == 20


@ALL_WAYS
def test_calls_of_all_kinds_between() -> None:
    """Whatever else is called, and however, it sees what the fast path has done."""
    with (
        envpool_ray.make("Ledger-v0", **SMALL) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        pools = (ours, reference)
        assert_same(ours.reset(), reference.reset())
        others: list[Any] = [
            lambda pool: pool.step([1, 2, 3, 4]),
            lambda pool: pool.step(ONES[:2], np.array([3, 1])),
            lambda pool: pool.step(ONES, np.arange(4, dtype=np.int32)),  # of the fast path
            lambda pool: pool.step(np.full(8, 2)[::2]),
            lambda pool: pool.step({"action": ONES}),
            lambda pool: pool.reset([1])[1]["env_id"],
            lambda pool: pool.reset(seed=7)[0]["ledger"],
            lambda pool: (pool.send(ONES), pool.recv())[1],
            lambda pool: (pool.load_state(pool.save_state()), pool.step(ONES))[1],
            lambda pool: (pool.async_reset(), pool.recv(True))[1][0],
        ]
        for call in others * 2:
            assert_same(*steps_until_fast(*pools))
            assert_same(*map(call, pools))
        for call in (
            lambda pool: pool.step(np.array([1, 1, 1, 99])),
            lambda pool: pool.step(np.array([1, 1, 1, -1])),
            lambda pool: pool.step(np.ones((4, 2), np.int64)),
        ):
            with pytest.raises(ActionError):
                call(ours)
            assert_same(ours.step(ONES), reference.step(ONES))
        with pytest.raises(StateError):
            ours.recv()
        assert_same(ours.step(ONES), reference.step(ONES))


def test_ids_of_asynchronous_calls() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, batch_size=2) as pool:
        pool.async_reset()
        for _ in range(200):
            pool.send(ONES[:2], pool.recv()[4]["env_id"])
            if fast_calls(pool) > 0:
                break
        assert fast_calls(pool) > 0
        ids = pool.recv()[4]["env_id"]
        pool.send(ONES[:2], ids)
        with pytest.raises(EnvIdError, match="in flight"):
            pool.send(ONES[:2], ids)
        assert pool._compiled.num_in_flight == 4
        first = pool.recv()[4]["env_id"]
        second = pool.recv()[4]["env_id"]
        assert {*first.tolist(), *second.tolist()} == {0, 1, 2, 3}
        pool.send(ONES[:2], np.array([first[0], second[0]]))  # of two actors
        pool.send(ONES[:2], np.array([first[1], second[1]], np.int64))
        found = [env_id for _ in range(2) for env_id in pool.recv()[4]["env_id"].tolist()]
        assert sorted(found) == [0, 1, 2, 3]


@ALL_WAYS
def test_an_actor_is_lost_meanwhile() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        (seen,) = steps_until_fast(pool)
        pid = pool._compiled._group.workers[1].pid
        os.kill(pid, signal.SIGKILL)
        result = pool.step(ONES)
        assert result[4]["actor_restarted"].tolist() == [False, False, True, True]
        assert result[0]["ledger"][2:].tolist() == seen[0]["ledger"][2:].tolist()
        assert result[3].tolist() == [False, False, True, True]
        assert not pool.step(ONES)[4]["actor_restarted"].any()
        steps_until_fast(pool)  # with the new one


def test_an_actor_hangs_meanwhile() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, actor_timeout=15.0) as pool:
        pool.reset()
        steps_until_fast(pool)
        result = pool.step(np.array([7, 1, 1, 1]))  # hangs
        assert result[4]["actor_restarted"].tolist() == [True, True, False, False]


@ALL_WAYS
def test_an_environment_fails_meanwhile() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        steps_until_fast(pool)
        with pytest.raises(WorkerError, match="env 2"):
            pool.step(np.array([1, 1, 9, 1]))  # raises
        assert pool.recv()[4]["env_id"].tolist() == [0, 1, 3]
        pool.reset([2])
        assert pool.step(ONES)[4]["env_id"].tolist() == [0, 1, 2, 3]


def test_threads_that_send_and_receive() -> None:
    """One thread sends what another one has received, as learners and actors do."""
    with envpool_ray.make("Ledger-v0", **SMALL, batch_size=2) as pool:
        pool.async_reset()
        ready: list[Any] = []
        arrived, counted = threading.Semaphore(0), []

        def send() -> None:
            for _ in range(200):
                arrived.acquire()
                pool.send(ONES[:2], ready.pop(0))

        thread = threading.Thread(target=send)
        thread.start()
        for _ in range(200):
            while True:
                try:
                    obs, *_, info = pool.recv(timeout=30)
                    break
                except StateError:  # the other one has not sent yet
                    continue
            counted.append((info["env_id"].tolist(), obs["ledger"][:, 0].tolist()))
            ready.append(info["env_id"])
            arrived.release()
        thread.join()
    of_env: dict[int, list[int]] = {}
    for ids, seen in counted:
        for env_id, seed in zip(ids, seen, strict=True):
            of_env.setdefault(env_id, []).append(seed)
    assert all(set(seeds) == {2 + env_id} for env_id, seeds in of_env.items())


def test_a_handler_calls_the_pool() -> None:
    """It is refused, and the call that it interrupts goes on."""
    with envpool_ray.make("Ledger-v0", **SMALL, work_us=100_000) as pool:
        pool.reset()
        steps_until_fast(pool)
        refused: list[BaseException] = []

        def handler(number: int, frame: Any) -> None:
            try:
                pool.step(ONES)
            except StateError as error:
                refused.append(error)

        before = signal.signal(signal.SIGALRM, handler)
        try:
            for _ in range(100):  # the signal may come between two steps
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                pool.step(ONES)
                if refused:
                    break
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert refused
        assert pool.step(ONES)[4]["env_id"].tolist() == [0, 1, 2, 3]


def test_what_is_never_fast() -> None:
    for options in (
        {"checkpoint_every": 2}, {"autoreset_mode": "same_step"}, {"autoreset_mode": "disabled"},
    ):  # fmt: skip
        with envpool_ray.make("Ledger-v0", **SMALL, **options) as pool:
            pool.reset()
            for _ in range(3):
                pool.step(ONES)
            assert fast_calls(pool) == -1


def test_where_it_is_of_no_use_it_is_tried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0
    settle = _fast_path.FastPath.settle

    def counting(self: Any) -> Any:
        nonlocal tried
        tried += 1
        return settle(self)

    monkeypatch.setattr(_fast_path.FastPath, "settle", counting)
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        for _ in range(100):
            pool.send(ONES)
            pool.recv()
        assert tried < 10
        steps_until_fast(pool)
