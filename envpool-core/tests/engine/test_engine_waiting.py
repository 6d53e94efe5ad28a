# SPDX-License-Identifier: Apache-2.0
"""Waiting for results: with a limit, interrupted, from several threads, and after a fork.

A gate holds an environment within Step, so that a test decides how long a step takes.
"""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from envpool.errors import RecvTimeoutError, StateError
from refusals import refused

# From a signal to its KeyboardInterrupt: a waiting thread looks after signals ten times a second.
INTERRUPT_SECONDS = 0.5


@pytest.fixture
def held(make, module):
    """A pool of three environments, reset, whose second one is held in its next step."""

    def make_held(**config):
        pool = make("Gated", **({"num_envs": 3, "num_threads": 2, "gated": True} | config))
        pool.async_reset()
        for _ in range(3 // config.get("batch_size", 3)):
            pool.recv()
        module.close_gates([1])
        return pool

    return make_held


def interrupted(act, number=signal.SIGINT):
    """Seconds from a signal to this process to the end of `act`, which it interrupts."""
    sent = []

    def kill():
        sent.append(time.monotonic())
        os.kill(os.getpid(), number)

    timer = threading.Timer(0.3, kill)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            act()
        return time.monotonic() - sent[0]
    finally:
        timer.join()


@pytest.mark.parametrize("batch_size", [3, 1])
def test_a_timeout_loses_nothing(held, module, batch_size):
    pool = held(batch_size=batch_size)
    pool.send([7], [1])
    for timeout in (0, 0.02, 0.25):
        start = time.monotonic()
        message = refused(RecvTimeoutError, lambda timeout=timeout: pool.recv(timeout=timeout))
        passed = time.monotonic() - start
        # A machine that is busy may be late, never early.
        assert timeout <= passed < timeout + 5
        assert message.asked == "recv(timeout=...) of Test/Gated-v0"
        assert message.got == "0 of 1 results before the time was over"
        assert message.hint == "Call recv() again: nothing was lost"
        assert isinstance(message.error, StateError)
        assert isinstance(message.error, TimeoutError)
    assert pool.num_in_flight == 1
    module.open_gates()
    assert pool.recv(timeout=30)["obs"].tolist() == [[1, 7]]


def test_a_timeout_with_some_results(held, module):
    pool = held()
    pool.send([7, 8, 9])
    message = refused(RecvTimeoutError, lambda: pool.recv(timeout=0.2))
    assert message.got.endswith(" of 3 results before the time was over")
    module.open_gates()
    assert pool.recv()["obs"].tolist() == [[1, 7], [1, 8], [1, 9]]


def test_more_may_be_sent_after_a_timeout(held, module):
    pool = held()
    pool.send([7, 8], [2, 1])
    refused(RecvTimeoutError, lambda: pool.recv(timeout=0))
    pool.send([9], [0])
    refused(RecvTimeoutError, lambda: pool.recv(timeout=0.05))
    module.open_gates()
    assert pool.recv()["obs"].tolist() == [[1, 7], [1, 8], [1, 9]]


@pytest.mark.parametrize("call", ["step", "recv", "reset", "close", "another thread"])
def test_an_interrupt_ends_every_wait(held, module, call):
    pool = held()
    if call == "step":
        assert interrupted(lambda: pool.step([1, 2, 3])) < INTERRUPT_SECONDS
    elif call == "another thread":
        thread = threading.Thread(target=lambda: pool.step([1, 2, 3]))
        thread.start()
        assert module.await_held(1, 30)
        assert interrupted(lambda: pool.send([1], [1])) < INTERRUPT_SECONDS
        module.open_gates()
        thread.join(30)
        assert not thread.is_alive()
        pool.send([1, 2, 3])
    else:
        pool.send([1, 2, 3])
        assert module.await_held(1, 30)  # or close() would find no thread in an environment
        assert interrupted(getattr(pool, call)) < INTERRUPT_SECONDS
    if call == "close":
        message = refused(StateError, lambda: pool.step([1, 2, 3]))
        assert message.got == "a pool whose close() is waiting for an environment"
        refused(StateError, pool.reset)
        module.open_gates()
        pool.close()
        assert pool.reset()["step_type"].tolist() == [0, 0, 0]
    else:
        assert pool.num_in_flight == 3
        refused(RecvTimeoutError, lambda: pool.recv(timeout=0)) if call != "another thread" else 0
        module.open_gates()
        assert pool.recv()["obs"][:, 1].tolist() == [1, 2, 3]
    assert pool.reset()["obs"].tolist() == [[0, 0]] * 3
    assert pool.step([4, 5, 6])["obs"].tolist() == [[1, 4], [1, 5], [1, 6]]


@pytest.mark.parametrize("batch_size", [3, 1])
def test_work_begins_when_it_is_sent(held, module, batch_size):
    """Busy threads do not prevent the wake-up of a sleeping thread; no call of recv is needed."""
    pool = held(batch_size=batch_size, num_threads=3)
    module.close_gates([0, 2])
    for count, env_id in enumerate((0, 1, 2), 1):
        pool.send([7], [env_id])
        assert module.await_held(count, 10)
        time.sleep(0.01)  # time for the others to fall asleep
    module.open_gates()
    for _ in range(3 // batch_size):
        assert (pool.recv()["obs"][:, 1] == 7).all()


def test_a_signal_that_raises_nothing_goes_unnoticed(held, module):
    pool = held()
    calls = []

    def handle(*_):
        message = refused(StateError, pool.recv)
        assert message.got.startswith("a call from within another call of the same pool")
        calls.append(message)
        module.open_gates()

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        assert pool.step([1, 2, 3])["obs"].tolist() == [[1, 1], [1, 2], [1, 3]]
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(calls) == 1


@pytest.mark.parametrize("work_us", [0, 500])
def test_threads_that_share_a_pool_take_turns(make, work_us):
    pool = make(num_envs=8, num_threads=2, work_us=work_us, goal=0)
    pool.reset()
    wrong = []

    def step_own(ids):
        rng = np.random.default_rng(ids[0])
        for step in range(1, 150 if work_us else 1500):
            action = rng.integers(0, 1000, len(ids))
            obs = pool.step(action, ids)["obs"]
            if obs.tolist() != np.stack([np.full(len(ids), step), action], 1).tolist():
                wrong.append((ids, step, obs))
                return

    threads = [threading.Thread(target=step_own, args=([i, i + 4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong


def test_sending_while_another_thread_waits_for_results(held, module):
    """A waiting thread holds the pool for moments only."""
    pool = held(batch_size=1)
    pool.send([7], [1])
    results = []
    receive = threading.Thread(target=lambda: results.append(pool.recv(timeout=60)))
    receive.start()
    pool.send([5], [0])
    receive.join(60)
    assert results[0]["info:env_id"].tolist() == [0]
    module.open_gates()
    assert pool.recv(timeout=60)["info:env_id"].tolist() == [1]


FORKED = """
pool = make_pool(module, "Gated", num_envs=3, num_threads=2, gated=True)
pool.reset()
if HELD:
    module.close_gates([1])
    thread = threading.Thread(target=lambda: pool.step([1, 2, 3]))
    thread.start()
    assert module.await_held(1, 30)
child = os.fork()
if child == 0:
    for call in (
        lambda: pool.step([1, 2, 3]), lambda: pool.send([1], [1]), lambda: pool.recv(),
        lambda: pool.recv(timeout=1), lambda: pool.reset(), lambda: pool.async_reset(),
        lambda: pool.save_state([0]), lambda: pool.load_state([], []),
        lambda: pool.set_result_layouts("info:env_id", "info:env_id"),
    ):
        try:
            call()
        except Exception as error:
            print(type(error).__name__, error)
    pool.close()
    del pool
    own = make_pool(module, "Counter", num_envs=3, num_threads=2)
    own.reset()
    print(own.step([4, 5, 6])["obs"].tolist())
    own.close()
    sys.stdout.flush()
    os._exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
if HELD:
    module.open_gates()
    thread.join()
else:
    pool.step([1, 2, 3])
print(pool.step([1, 2, 3])["obs"].tolist())
"""


@pytest.mark.parametrize("held_in_a_step", [False, True])
def test_a_forked_child(run_script, held_in_a_step):
    code = "import warnings; warnings.simplefilter('ignore')\n"  # of Python: threads and fork
    *refusals, own, parents = run_script(f"{code}HELD = {held_in_a_step}{FORKED}").splitlines()
    assert len(refusals) == 9
    for line in refusals:
        assert line.startswith("StateError use of Test/Gated-v0: got a pool that was made before")
        assert line.endswith("Make the pool in the child process.")
    assert own == "[[1, 4], [1, 5], [1, 6]]"
    assert parents == "[[2, 1], [2, 2], [2, 3]]"


def test_python_runs_while_a_pool_waits(held, module):
    pool = held()
    counts = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            if counts[0] == 20000:
                module.open_gates()

    thread = threading.Thread(target=count)
    thread.start()
    pool.step([1, 2, 3])
    done.set()
    thread.join()
    assert counts[0] >= 20000
