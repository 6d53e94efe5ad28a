# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while environments are built that take long to build."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest


def num_threads() -> int:
    return len([*Path("/proc/self/task").iterdir()])


def interrupted_after(seconds, call):
    """How long `call` takes, which a signal interrupts."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.join()
    return time.monotonic() - start


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
@pytest.mark.parametrize("threads", [1, 3])
def test_make_ends_between_two_environments(make, threads):
    """All of them take 20 s and more of one thread."""
    before = num_threads()
    config = {"num_envs": 1000, "num_threads": threads, "where": "slow", "at": -1}
    took = interrupted_after(0.2, lambda: make("Faulty", work_us=20_000, **config))
    assert took < 3
    assert num_threads() == before


def test_an_interrupt_comes_before_the_error_that_it_caused(make):
    """Ctrl-C ends also the program that an environment waits for."""
    config = {"num_envs": 4, "num_threads": 1, "where": "slow", "at": 0}
    interrupted_after(0.1, lambda: make("Faulty", work_us=300_000, **config))


def test_a_reset_that_opens_a_pool_again(make):
    pool = make("Faulty", num_envs=20, num_threads=1, where="slow", at=-1, work_us=20_000)
    pool.close()
    interrupted_after(0.1, pool.reset)
    assert pool.closed
    assert len(pool.reset()["obs"]) == 20
