# SPDX-License-Identifier: Apache-2.0
"""The threads that step each kind of environment; none of them holds Python's lock.

trivial    the caller steps; other threads help where there are very many rows
default    synchronous: the caller is one of num_threads threads; asynchronous: the caller waits
blocking   as many threads as a batch has rows; the caller waits
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from engine_scheduling import play, start


def step_many(make, module, name, *, calls=300, **config):
    """Plays a new pool from this thread; returns the threads that stepped, and whether all did."""
    pool = make(name, **config)
    envs, batch = config["num_envs"], config.get("batch_size", config["num_envs"])
    module.forget_presence()
    start(pool, batch == envs)
    left = iter(range(calls))
    play(pool, envs, batch, lambda: next(left, None) is None)
    pool.close()
    presence = module.presence()
    assert presence["calls"] >= calls
    return presence


@pytest.mark.parametrize("batch_size", [8, 2])
def test_a_few_trivial_environments_need_no_thread(make, module, batch_size):
    for threads in (1, 2, 4):
        presence = step_many(
            make,
            module,
            "UnevenTrivial",
            num_envs=8,
            batch_size=batch_size,
            num_threads=threads,
        )
        assert presence["threads"] == {module.own_thread()}


@pytest.mark.parametrize("busy_ns", [0, 20_000])
def test_one_thread_of_a_synchronous_pool_is_the_caller(make, module, busy_ns):
    presence = step_many(make, module, "Uneven", num_envs=8, num_threads=1, busy_ns=busy_ns)
    assert presence["threads"] == {module.own_thread()}


def test_the_caller_of_a_synchronous_pool_steps_too(make, module):
    pool = make("Uneven", num_envs=2, num_threads=2, gated=True)
    pool.reset()
    module.close_gates([0, 1])
    module.forget_presence()
    callers = []

    def step():
        callers.append(module.own_thread())
        pool.step([0, 0])

    thread = threading.Thread(target=step)
    thread.start()
    try:
        assert module.await_held(2, 10)
    finally:
        module.open_gates()
        thread.join(30)
    assert not thread.is_alive()
    assert callers[0] in module.presence()["threads"]


@pytest.mark.parametrize("name", ["Uneven", "UnevenBlocking"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_caller_of_an_asynchronous_pool_waits(make, module, name, threads):
    for busy_ns in (0, 10_000):
        presence = step_many(
            make, module, name, num_envs=64, batch_size=16, num_threads=threads, busy_ns=busy_ns
        )
        assert module.own_thread() not in presence["threads"]


@pytest.mark.parametrize("batch_size", [8, 4])
def test_blocking_environments_have_a_thread_each(make, module, batch_size):
    pool = make("UnevenBlocking", num_envs=8, batch_size=batch_size, gated=True)
    assert pool.num_threads == batch_size
    start(pool, batch_size == 8)
    calls = iter(range(20))
    play(pool, 8, batch_size, lambda: next(calls, None) is None)
    # Nothing may be in flight when the gates close: a step of before would be held by them too.
    ids = list(range(8))
    if batch_size != 8:
        ids = [*pool.recv(timeout=30)["info:env_id"], *pool.recv(timeout=30)["info:env_id"]]
    module.forget_presence()
    module.close_gates(range(8))
    pool.send([0] * 8, ids)
    assert module.await_held(batch_size, 5)
    module.open_gates()
    for _ in range(8 // batch_size):
        pool.recv(timeout=30)
    presence = module.presence()
    assert presence["most"] == batch_size
    assert module.own_thread() not in presence["threads"]


@pytest.mark.parametrize("name", ["UnevenTrivial", "Uneven", "UnevenBlocking"])
@pytest.mark.parametrize("batch_size", [9, 2])
def test_no_step_holds_pythons_lock(make, module, name, batch_size):
    for busy_ns in (0, 20_000):
        for threads in (1, 2):
            presence = step_many(
                make,
                module,
                name,
                num_envs=9,
                batch_size=batch_size,
                num_threads=threads,
                busy_ns=busy_ns,
            )
            assert presence["with_gil"] == 0


def test_steps_of_few_trivial_environments_do_where_no_other_thread_runs_python(run_script):
    run_script(FEW_TRIVIAL)


FEW_TRIVIAL = """
def with_gil(name):
    pool = make_pool(module, name, num_envs=8, batch_size=8, num_threads=1)
    pool.reset()
    module.forget_presence()
    for _ in range(100):
        pool.step(np.zeros(8, int))
    presence = module.presence()
    assert presence["calls"] >= 800
    return presence["with_gil"]

assert with_gil("UnevenTrivial") > 0
assert with_gil("Uneven") == 0
done = threading.Event()
thread = threading.Thread(target=done.wait, args=(60,))
thread.start()
assert with_gil("UnevenTrivial") == 0
done.set()
thread.join()
"""


@pytest.mark.parametrize("act", ["reset", "send and recv", "render", "save_state", "load_state"])
def test_no_other_call_of_an_environment_does(make, module, act):
    pool = make("Uneven", num_envs=2, num_threads=2)
    pool.reset()
    for _ in range(200):
        pool.step([0, 0])
    states = pool.save_state([0, 1])
    module.forget_presence()
    if act == "reset":
        for _ in range(100):
            pool.reset()
    elif act == "send and recv":
        for _ in range(100):
            pool.send(np.zeros(2, int))
            pool.recv(timeout=30)
    elif act == "render":
        assert (pool.render([0, 1], 4, 4, -1)[1] == 1).all()
    elif act == "save_state":
        pool.save_state([0, 1])
    else:
        pool.load_state(states, [0, 1])
    presence = module.presence()
    assert presence["calls"] > 0
    assert presence["with_gil"] == 0
