# SPDX-License-Identifier: Apache-2.0
"""Never more than num_threads threads are inside environments, and never the wrong ones.

Every environment counts itself in and out. The bound holds however a pool is used, and whatever
else the machine does: no limit of this file is about time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import numpy as np
import pytest
from engine_scheduling import for_seconds, most_inside, play, start
from envpool.errors import RecvTimeoutError

KINDS = ("UnevenTrivial", "Uneven", "UnevenBlocking")
# For each of a hundred cases; together they make some 100,000 calls.
SECONDS = 0.1


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("step_us", [1, 10, 100])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_steps_of_many_lengths(module, mode, step_us, threads):
    most = {}
    for envs in (8, 16, 64):
        seconds, calls = SECONDS, 1
        while calls == 1 and seconds < 30:  # longer where other programs have the CPUs
            most[envs], calls = most_inside(
                module, mode=mode, step_us=step_us, threads=threads, envs=envs, seconds=seconds
            )
            seconds *= 4
        assert calls > 1
    assert max(most.values()) <= threads, most


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_every_kind(module, name, mode):
    for threads in (1, 2, 3):
        for step_us in (0, 2, 50):
            most, _ = most_inside(
                module,
                mode=mode,
                step_us=step_us,
                threads=threads,
                envs=32,
                seconds=SECONDS / 2,
                name=name,
            )
            assert most <= threads, (threads, step_us)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("batch_size", [32, 8])
def test_lengths_that_change(make, module, batch_size, threads):
    """The engine's estimate from cheap steps is wrong when a long one comes, and conversely."""
    pool = make(
        "Uneven",
        num_envs=32,
        batch_size=batch_size,
        num_threads=threads,
        busy_ns=1000,
        long_us=2000,
        long_every=200,
    )
    module.forget_presence()
    start(pool, batch_size == 32)
    play(pool, 32, batch_size, for_seconds(0.4))
    assert 1 <= module.presence()["most"] <= threads


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("busy_ns", [0, 3000, 60_000])
def test_parts_of_a_synchronous_pool(make, module, busy_ns, threads):
    """Sent piece by piece, received later, with and without a limit, and reset in between."""
    envs = 24
    pool = make("Uneven", num_envs=envs, num_threads=threads, busy_ns=busy_ns)
    rng = np.random.default_rng(threads)
    pool.reset()
    module.forget_presence()
    until = for_seconds(0.5)
    timeouts = 0
    while not until():
        ids = rng.permutation(envs)[: rng.integers(1, envs + 1)]
        cut = int(rng.integers(0, len(ids)))
        for part in (ids[:cut], ids[cut:]):
            if len(part):
                pool.send(np.zeros(len(part), int), part)
        while pool.num_in_flight > 0:
            try:
                result = pool.recv(timeout=float(rng.choice([0, 1e-5, 1e-3, 30])))
            except RecvTimeoutError:
                timeouts += 1
                continue
            assert set(result["info:env_id"]) <= set(ids)
        if rng.integers(4) == 0:
            pool.reset(ids)
        if rng.integers(4) == 0:
            pool.step(np.zeros(len(ids), int), ids)
    assert module.presence()["most"] <= threads
    # A part of 24 cheap steps is done before the caller has looked at the clock.
    assert timeouts > 0 or busy_ns < 60_000


@pytest.mark.parametrize("threads", [1, 2])
def test_after_a_keyboard_interrupt(make, module, threads):
    """The caller leaves a call whose environments are still at work, and comes back for more."""
    pool = make("Uneven", num_envs=16, num_threads=threads, busy_ns=2000, gated=True)
    pool.reset()
    module.forget_presence()
    for _ in range(3):
        play(pool, 16, 16, for_seconds(0.05))
        came_back = threading.Event()

        def interrupt(came_back=came_back):
            if module.await_held(1, 30):
                os.kill(os.getpid(), signal.SIGINT)
                # It may be the caller that is held, and sees the signal when the gate is open.
                came_back.wait(0.3)
            module.open_gates()

        thread = threading.Thread(target=interrupt)
        module.close_gates([7])
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            pool.step(np.zeros(16, int))
        if pool.num_in_flight > 0:
            with contextlib.suppress(RecvTimeoutError):
                pool.recv(timeout=0)
        came_back.set()
        thread.join(30)
        assert not thread.is_alive()
        if pool.num_in_flight > 0:
            pool.recv(timeout=30)
    play(pool, 16, 16, for_seconds(0.05))
    assert module.presence()["most"] <= threads


@pytest.mark.parametrize("batch_size", [64, 16])
def test_a_caller_that_waits_is_no_further_thread(make, module, batch_size):
    """All environments stand still: as many are inside as there are threads, and stay as many."""
    pool = make(
        "Uneven", num_envs=64, batch_size=batch_size, num_threads=2, busy_ns=2000, gated=True
    )
    start(pool, batch_size == 64)
    play(pool, 64, batch_size, for_seconds(0.05))
    if batch_size < 64:
        for _ in range(64 // batch_size):
            pool.recv(timeout=30)
    module.close_gates(range(64))
    pool.send(np.zeros(64, int), range(64))
    thread = threading.Thread(target=lambda: pool.recv(timeout=30))
    thread.start()
    try:
        assert module.await_held(2, 30)
        assert not module.await_held(3, 0.2)
    finally:
        module.open_gates()
        thread.join(30)
    assert not thread.is_alive()
