# SPDX-License-Identifier: Apache-2.0
"""Threads that use one pool wait in a queue, and none of them for long."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from envpool.errors import RecvTimeoutError, StateError

BUSY = "import os\nwhile os.getppid() == {parent}: pass"


@pytest.fixture(params=["quiet", "busy"])
def machine(request):
    """The machine without other load, and with a busy program for each CPU."""
    command = [sys.executable, "-c", BUSY.format(parent=os.getpid())]
    count = (os.cpu_count() or 1) if request.param == "busy" else 0
    programs = [subprocess.Popen(command) for _ in range(count)]
    yield request.param
    for program in programs:
        program.kill()
        program.wait()


def play_in_threads(pool, num_threads, seconds):
    """The number of the thread of each step, in order; the threads loop over step()."""
    order = []
    begin = threading.Barrier(num_threads + 1)
    over = threading.Event()

    def play(number):
        begin.wait(30)
        while not over.is_set():
            pool.step(np.zeros(2, np.int32))
            order.append(number)

    threads = [threading.Thread(target=play, args=(number,)) for number in range(num_threads)]
    for thread in threads:
        thread.start()
    begin.wait(30)
    over.wait(seconds)
    over.set()
    for thread in threads:
        thread.join(60)
    return order


@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_that_step_get_a_fair_part(make, machine, num_threads):
    """Each loops over step(); a lock that the last holder takes again gave one thread them all."""
    del machine
    pool = make("Counter", num_envs=2, num_threads=1, goal=0, work_us=20)
    pool.reset()
    order = play_in_threads(pool, num_threads, 1.0)
    counts = [order.count(number) for number in range(num_threads)]
    # The system gives CPUs out in parts of some milliseconds, of which a second has few hundred.
    assert min(counts) * 3 > len(order) / num_threads, counts


@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_take_several_cheap_steps_each(make, machine, num_threads):
    """To hand the pool over costs as much as many of them: with each it was 50 times slower."""
    del machine
    pool = make("Counter", num_envs=2, num_threads=1, goal=0)
    pool.reset()
    order = play_in_threads(pool, num_threads, 0.5)
    changes = sum(one != other for one, other in itertools.pairwise(order))
    assert changes > 0
    assert len(order) / changes > 5, (len(order), changes)


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
