# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at every line of a call: nothing is lost, nothing is done twice, and the pool goes on."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import envpool
import envpool_ray
import numpy as np
import pytest
from comparing import assert_same
from envpool_ray import _fast_path, _workers
from envpool_ray._interrupts import Interruptible, Uninterrupted
from envpool_ray._pool import RayPool
from envpool_ray.wire import connection

SMALL = {"num_actors": 2, "cpus_per_actor": 1, "num_threads": 1, "num_envs": 4, "seed": 2}
OURS = str(Path(envpool_ray.__file__).parent)


def interrupted(call: Callable[[], Any], line: int) -> tuple[bool, Any]:
    """Calls it, with SIGINT at the n-th line of ours; whether it came to that, and the result.

    The result is None if the call was interrupted.
    """
    left = line
    sent = False

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal left, sent
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sent = True
                signal.raise_signal(signal.SIGINT)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return sent, call()
    except KeyboardInterrupt:
        assert sent
        return True, None
    finally:
        sys.settrace(before)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def lines(step: int = 1) -> Iterator[int]:
    """1, 1 + step and so on, until the call has had no more lines."""
    return itertools.count(1, step)


@pytest.fixture(params=["compiled", "both", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How calls go: through compiled code, from it to Python and back in each, or never there."""
    if request.param == "python":
        monkeypatch.setattr(_fast_path.FastPath, "arm", lambda self, *last: None)
    if request.param == "both":
        usual = RayPool._usual_rows
        monkeypatch.setattr(
            RayPool,
            "_usual_rows",
            lambda pool, calls, action, ids: (
                None if isinstance(action, list) else usual(pool, calls, action, ids)
            ),
        )
    monkeypatch.setattr(_fast_path, "_ARMED_SECONDS", 1e3)  # none goes to Python by itself
    return str(request.param)


def as_passed(action: Any, way: str) -> Any:
    """An action, which Python sends if it is a list."""
    return action.tolist() if way == "both" else action


@pytest.mark.parametrize(
    ("every", "way"),
    [(0, "compiled"), (0, "both"), (0, "python"), (3, "python")],  # never compiled with checkpoints
    indirect=["way"],
)
def test_step(every: int, way: str) -> None:
    chance = np.random.default_rng(0)
    with (
        envpool_ray.make("Ledger-v0", **SMALL, checkpoint_every=every) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        assert_same(ours.reset(), reference.reset())
        for line in lines():
            action = chance.integers(0, 6, 4)
            assert_same(ours.step(action), reference.step(action))
            passed = as_passed(action, way)
            sent, result = interrupted(lambda a=passed: ours.step(a), line)
            if result is None:
                waits = ours._compiled.num_in_flight
                assert waits in (0, 4)
                result = ours.recv() if waits else ours.step(action)
            assert_same(result, reference.step(action))
            if not sent:
                break
        assert (line < 100) == (way == "compiled")


def test_send_and_recv(way: str) -> None:
    chance = np.random.default_rng(0)
    with (
        envpool_ray.make("Ledger-v0", **SMALL, batch_size=2) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        reference.reset()
        ours.async_reset()
        first = [ours.recv()[4]["env_id"] for _ in range(2)]
        ours.send(np.ones(2, np.int64), first[0])
        played = np.ones(4, np.int64)
        ids = first[1]
        more = [True, True]
        for line in lines():
            played[ids] = chance.integers(0, 6, 2)
            passed = as_passed(played[ids], way)
            more[0], done = interrupted(lambda a=passed, i=ids: [ours.send(a, i)], line)
            waits = ours._compiled.num_in_flight
            assert waits == 4 or (done is None and waits == 2)
            if waits == 2:
                ours.send(played[ids], ids)
            more[1], result = interrupted(ours.recv, line)
            if result is None:
                assert ours._compiled.num_in_flight == 4
                result = ours.recv()
            ids = result[4]["env_id"]
            assert_same(result, reference.step(played[ids], ids))
            if not any(more):
                break
        assert (line < 100) == (way == "compiled")


def test_reset() -> None:
    with (
        envpool_ray.make("Ledger-v0", **SMALL) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        for line in lines():
            sent, result = interrupted(ours.reset, line)
            if result is None:
                result = ours.recv() if ours._compiled.num_in_flight else ours.reset()
            assert_same(result[0], reference.reset()[0])
            if not sent:
                break
        assert line > 100


def test_states() -> None:
    with (
        envpool_ray.make("Ledger-v0", **SMALL) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        assert_same(ours.reset(), reference.reset())
        states = reference.save_state()
        after = reference.step(np.ones(4, np.int64))
        for line in lines(3):
            saving, found = interrupted(ours.save_state, line)
            assert (found or ours.save_state()) == states
            assert_same(ours.step(np.ones(4, np.int64)), after)
            loading, _ = interrupted(lambda: ours.load_state(states), line)
            # It was loaded or it was not; loading again is allowed in any case.
            ours.load_state(states)
            if not (saving or loading):
                break
        assert ours._compiled.restarts == [0, 0]


def test_while_an_actor_is_replaced() -> None:
    options = {**SMALL, "num_actors": 1, "checkpoint_every": 4}
    with (
        envpool_ray.make("Ledger-v0", **options) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        assert_same(ours.reset(), reference.reset())
        for line in lines(400):
            action = np.full(4, line % 6)
            os.kill(ours._compiled._group.workers[0].pid, signal.SIGKILL)
            sent, result = interrupted(lambda a=action: ours.step(a), line)
            if result is None:
                result = ours.recv() if ours._compiled.num_in_flight else ours.step(action)
            assert_same(result, reference.step(action))
            if not sent:
                break


def test_sections() -> None:
    told: list[str] = []

    def handler(number: int, frame: FrameType | None) -> None:
        told.append(signal.Signals(number).name)
        if len(told) == 1:
            raise InterruptedError

    def disturbed() -> None:
        with Uninterrupted(), Uninterrupted():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGUSR1)
            assert not told

    before = {n: signal.signal(n, handler) for n in (signal.SIGINT, signal.SIGUSR1)}
    try:
        with pytest.raises(InterruptedError):
            disturbed()
        # One handler raises; the other is called all the same, and both are back in place.
        assert told == ["SIGINT", "SIGUSR1"]
        assert {signal.getsignal(n) for n in before} == {handler}
        with Uninterrupted():
            signal.raise_signal(signal.SIGUSR1)
            assert told == ["SIGINT", "SIGUSR1"]
            with Interruptible():
                assert told[2:] == ["SIGUSR1"]
                signal.raise_signal(signal.SIGINT)
                assert told[3:] == ["SIGINT"]
            signal.raise_signal(signal.SIGINT)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        assert told[4:] == ["SIGINT"]
        assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def test_a_node_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting to a new actor can be interrupted, and the next call goes on with it."""
    connect, silent = _workers.connect, socket.socket()
    silent.bind(("127.0.0.1", 0))
    silent.listen(0)
    others = [socket.socket() for _ in range(4)]  # it has no room for more, so nobody is answered
    for other in others:
        other.setblocking(False)
        other.connect_ex(silent.getsockname())
    tried: list[float] = []

    def first_to_nobody(address: Any) -> socket.socket:
        tried.append(time.monotonic())
        if len(tried) > 1:
            return connect(address)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        return connect(silent.getsockname())

    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        monkeypatch.setattr(_workers, "connect", first_to_nobody)
        monkeypatch.setattr(connection, "_CONNECT_TIMEOUT", 300.0)
        os.kill(pool._compiled._group.workers[0].pid, signal.SIGKILL)
        assert pool.step(np.ones(4, np.int64))[3].tolist() == [True, True, False, False]
        with pytest.raises(KeyboardInterrupt):
            pool.step(np.ones(4, np.int64))
        assert 0.4 < time.monotonic() - tried[0] < 150.0  # it would take 300 s
        assert not pool.recv()[3].any()
        assert len(tried) == 2
        assert pool._compiled.restarts == [1, 0]
    for one in (silent, *others):
        one.close()
