# SPDX-License-Identifier: Apache-2.0
"""Measures the scheduling of steps of uneven length on the engine's threads.

The tests hold these figures to limits that a busy machine keeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

import numpy as np
from engine_pools import make_pool

LIMIT = 60  # seconds for one measurement: nothing may hang


def play(pool: Any, num_envs: int, batch_size: int, until: Callable[[], bool]) -> int:
    """Steps a pool that was reset until `until`; returns the number of calls."""
    calls = 0
    end = time.monotonic() + LIMIT
    actions = np.zeros(batch_size, int)
    while not until():
        assert time.monotonic() < end
        if batch_size == num_envs:
            pool.step(actions)
        else:
            pool.send(actions, pool.recv(timeout=LIMIT)["info:env_id"])
        calls += 1
    return calls


def for_seconds(seconds: float) -> Callable[[], bool]:
    """A condition that holds after some time."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def start(pool: Any, synchronous: bool) -> None:
    """Resets all environments; an asynchronous pool then has them in flight."""
    if synchronous:
        pool.reset()
    else:
        pool.async_reset()


def most_inside(
    module: ModuleType,
    *,
    mode: str,
    step_us: float,
    threads: int,
    envs: int,
    seconds: float,
    name: str = "Uneven",
) -> tuple[int, int]:
    """The most threads that were inside environments at a time, and in how many calls.

    Args:
        module: The test environments.
        mode: "sync", or "async", with batches of a quarter of the environments.
        step_us: How long a step computes.
        threads: num_threads of the pool.
        envs: num_envs of the pool.
        seconds: How long it plays.
        name: The environment type.
    """
    batch = envs if mode == "sync" else envs // 4
    pool = make_pool(
        module,
        name,
        num_envs=envs,
        batch_size=batch,
        num_threads=threads,
        busy_ns=int(step_us * 1000),
    )
    module.forget_presence()
    start(pool, mode == "sync")
    calls = play(pool, envs, batch, for_seconds(seconds))
    pool.close()
    return module.presence()["most"], calls


def worst_recv(
    module: ModuleType,
    *,
    after_allocate: bool,
    long_us: int = 400_000,
    name: str = "Uneven",
) -> float:
    """The longest recv, in seconds, while one of 64 environments sleeps once.

    Batches of 16, two threads, steps of 3.5 us. `after_allocate`: it sleeps with its result begun.
    """
    pool = make_pool(
        module,
        name,
        num_envs=64,
        batch_size=16,
        num_threads=2,
        busy_ns=3500,
        long_us=long_us,
        long_env=5,
        long_at=300,
        long_after=after_allocate,
    )
    start(pool, synchronous=False)
    # Until the threads have started, and the engine has seen how cheap a step is.
    play(pool, 64, 16, for_seconds(0.02))
    worst = 0.0
    end = time.monotonic() + LIMIT
    slept = False
    actions = np.zeros(16, int)
    while not slept:
        assert time.monotonic() < end
        before = time.perf_counter()
        result = pool.recv(timeout=LIMIT)
        worst = max(worst, time.perf_counter() - before)
        ids = result["info:env_id"]
        slept = bool((result["obs"][ids == 5, 0] >= 300).any())
        pool.send(actions, ids)
    pool.close()
    return worst


def ideal_rate(threads: int, step_us: float, long_ms: float, every: int) -> float:
    """Steps per second of threads that are never idle, when every n-th step is longer."""
    return threads / (step_us * 1e-6 + long_ms * 1e-3 / every)


def rate_with_long_steps(
    module: ModuleType,
    *,
    seconds: float,
    long_ms: int = 20,
    every: int = 500,
    name: str = "Uneven",
) -> float:
    """Steps per second in the second half of `seconds`, when every n-th step sleeps besides.

    64 environments, batches of 16, two threads, steps of 3.5 us.
    """
    pool = make_pool(
        module,
        name,
        num_envs=64,
        batch_size=16,
        num_threads=2,
        busy_ns=3500,
        long_us=long_ms * 1000,
        long_every=every,
    )
    start(pool, synchronous=False)
    play(pool, 64, 16, for_seconds(seconds / 2))
    before = time.perf_counter()
    calls = play(pool, 64, 16, for_seconds(seconds / 2))
    rate = calls * 16 / (time.perf_counter() - before)
    pool.close()
    return rate


class Ticker:
    """Another Python thread, which looks at the clock every millisecond.

    Attributes:
        gap: The longest time, in seconds, between two of its looks.
    """

    def __init__(self) -> None:
        """Starts with the `with` statement."""
        self.gap = 0.0
        self._ready = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def _tick(self) -> None:
        last = time.perf_counter()
        self._ready.set()
        done = False
        while not done:
            # Looks once more when it is done: a freeze may last until then.
            done = self._done.wait(0.001)
            now = time.perf_counter()
            self.gap = max(self.gap, now - last)
            last = now

    def __enter__(self) -> Ticker:
        """Returns when the thread runs."""
        self._thread.start()
        assert self._ready.wait(LIMIT)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Returns when the thread has ended."""
        self._done.set()
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


def freeze(
    module: ModuleType,
    *,
    envs: int,
    batch: int,
    threads: int,
    long_us: int,
    name: str = "Uneven",
) -> float:
    """How long, in seconds, a Python thread stood still while one step slept after 499 cheap ones.

    Every environment takes 500 steps; the last one of environment 0 is the long one.
    """
    pool = make_pool(
        module,
        name,
        num_envs=envs,
        batch_size=batch,
        num_threads=threads,
        long_us=long_us,
        long_env=0,
        long_at=500,
    )
    start(pool, batch == envs)
    actions = np.zeros(batch, int)
    end = time.monotonic() + LIMIT
    slept = False
    with Ticker() as ticker:
        while not slept:
            assert time.monotonic() < end
            result = pool.step(actions) if batch == envs else pool.recv(timeout=LIMIT)
            ids = result["info:env_id"]
            slept = bool((result["obs"][ids == 0, 0] >= 500).any())
            if batch < envs:
                pool.send(actions, ids)
    pool.close()
    return ticker.gap


def undisturbed_freeze(seconds: float) -> float:
    """How long a Python thread stood still while this one waited, without a pool: the noise."""
    with Ticker() as ticker:
        threading.Event().wait(seconds)
    return ticker.gap
