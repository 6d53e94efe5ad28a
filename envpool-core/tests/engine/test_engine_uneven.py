# SPDX-License-Identifier: Apache-2.0
"""One step is far longer than those before it: threads that wait for it, and threads that do not.

A machine that others use must pass too, so one trial of ten has to be within the limit: an engine
that waits for the long step misses it every time.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from engine_scheduling import (
    Ticker,
    freeze,
    ideal_rate,
    rate_with_long_steps,
    undisturbed_freeze,
    worst_recv,
)

# Promised is 20 ms. A thread that shares Python with another one waits up to 5 ms for the GIL.
FREEZE = 0.020
# Promised is 30 ms.
RECV = 0.030
TRIALS = 10


def assert_one_is_below(measure: Callable[[], tuple[float, float]]) -> None:
    """Measures a time and its limit until one is below the other."""
    seen: list[tuple[float, float]] = []
    while not seen or seen[-1][0] >= seen[-1][1]:
        assert len(seen) < TRIALS, seen
        seen.append(measure())


@pytest.mark.parametrize(
    ("envs", "batch", "threads"), [(1, 1, 1), (8, 8, 2), (64, 64, 2), (4, 2, 2), (64, 16, 2)]
)
def test_other_python_threads_go_on_during_a_long_step(module, envs, batch, threads):
    def measure():
        # At most half of the step, or a pool that stops all threads would pass.
        limit = min(max(FREEZE, undisturbed_freeze(0.2)), 0.25)
        gap = freeze(module, envs=envs, batch=batch, threads=threads, long_us=500_000)
        return gap, limit

    assert_one_is_below(measure)


@pytest.mark.parametrize(
    ("name", "work_us"), [("Pole", None), ("Counter", 0), ("Counter", 40), ("Counter", 80)]
)
def test_a_loop_of_short_steps_gives_other_python_threads_their_turn(make, name, work_us):
    """It lets go of the GIL at each step, and has it back before anybody else is awake.

    Only steps as long as a thread needs to wake up, 50 us, are let be: these are on both sides.
    """
    options = {} if work_us is None else {"work_us": work_us}
    pool = make(name, num_envs=1, num_threads=1, **options)
    pool.reset()

    def measure():
        limit = max(FREEZE, undisturbed_freeze(0.2))
        end = time.monotonic() + 0.4
        with Ticker() as ticker:
            while time.monotonic() < end:
                pool.step([0])
        return ticker.gap, limit

    assert_one_is_below(measure)


WAITS_FOR_PYTHON = """
pool = make_pool(module, "{name}", num_envs={envs}, batch_size={batch}, num_threads=2, gated=True)
pool.async_reset()
actions = np.zeros({batch}, int)
for _ in range(500):
    ids = pool.recv()["info:env_id"]
    pool.send(actions, ids)
for _ in range({envs} // {batch}):
    ids = pool.recv()["info:env_id"]

def open_when_held():
    assert module.await_held(1, 30)
    total = sum(range(10_000))  # something that only Python can do
    module.open_gates()

module.close_gates([0])
thread = threading.Thread(target=open_when_held)
thread.start()
if {envs} == {batch}:
    {act}
else:
    pool.send(np.zeros({envs}, int), np.arange({envs}))
    for _ in range({envs} // {batch}):
        pool.recv()
thread.join(30)
assert not thread.is_alive()
"""


@pytest.mark.parametrize("name", ["UnevenTrivial", "Uneven", "UnevenBlocking"])
@pytest.mark.parametrize(
    ("envs", "batch", "act"),
    [
        (1, 1, "pool.step(actions)"),
        (4, 4, "pool.step(actions)"),
        (4, 4, "pool.send(actions); pool.recv()"),
        (4, 4, "pool.send(actions); pool.reset()"),
        (8, 2, "pass"),
    ],
)
def test_a_step_may_wait_for_another_python_thread(run_script, name, envs, batch, act):
    # Takes no time, or for ever: this is how long a slow machine may need to begin.
    run_script(WAITS_FOR_PYTHON.format(name=name, envs=envs, batch=batch, act=act), timeout=20)


@pytest.mark.parametrize("after_allocate", [False, True])
@pytest.mark.parametrize("name", ["Uneven", "UnevenBlocking"])
def test_a_batch_does_not_wait_for_an_environment_that_sleeps(module, name, after_allocate):
    assert_one_is_below(
        lambda: (worst_recv(module, after_allocate=after_allocate, name=name), RECV)
    )


def test_long_steps_cost_no_more_than_their_time(module):
    """A quiet machine makes 44,000 steps per second.

    Where others use the machine, two thirds of the best possible; a pool that waits for the
    sleepers has 57 % without other load.
    """
    ideal = ideal_rate(2, 3.5, 20, 500)
    assert 45_900 < ideal < 46_000
    rates: list[float] = []
    while not rates or max(rates) < 0.66 * ideal:
        assert len(rates) < TRIALS, rates
        rates.append(rate_with_long_steps(module, seconds=1))
