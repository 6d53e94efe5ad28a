# SPDX-License-Identifier: Apache-2.0
"""Threads that use one pool have their turn in the order in which they came."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from envpool.errors import RecvTimeoutError, StateError


@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_that_step_get_equally_many_steps(make, num_threads):
    """Each loops over step(); a lock that the last holder takes again gave one thread them all."""
    pool = make("Counter", num_envs=2, num_threads=1, goal=0, work_us=20)
    pool.reset()
    counts = [0] * num_threads
    over = threading.Event()
    begin = threading.Barrier(num_threads)

    def play(number):
        begin.wait(30)
        while not over.is_set():
            pool.step(np.zeros(2, np.int32))
            counts[number] += 1
            if sum(counts) >= 300:
                over.set()

    threads = [threading.Thread(target=play, args=(number,)) for number in range(num_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    # One that is late to begin misses some.
    assert min(counts) * 2 > 300 / num_threads, counts


@pytest.mark.parametrize("call", ["save_state", "recv", "close"])
def test_another_call_comes_between_two_steps(make, call):
    pool = make("Counter", num_envs=2, num_threads=1, goal=0, work_us=20)
    pool.reset()
    served, steps_until = threading.Event(), []
    begun = threading.Event()

    def play():
        try:
            for step in range(20_000):
                pool.step(np.zeros(2, np.int32))
                begun.set()
                if served.is_set():
                    steps_until.append(step)
                    return
        except StateError:  # the pool was closed
            steps_until.append(-1)

    thread = threading.Thread(target=play)
    thread.start()
    assert begun.wait(60)
    if call == "save_state":
        pool.save_state(None)
    elif call == "recv":
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout=0)
    else:
        pool.close()
    served.set()
    thread.join(60)
    assert steps_until, "the other thread did not come in"
