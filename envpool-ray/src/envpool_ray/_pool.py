# SPDX-License-Identifier: Apache-2.0
"""RayPool: the pool that stands where others have a compiled one.

The calls are those of `PythonPool`. `begin_steps` and `begin_episodes` give every worker one
request with its rows of the action; `collect` takes responses of whichever workers have one. A part
calls only those below it:

    RayPool
      FastPath                         steady-state calls, in compiled code
      ControlCalls                     render and states
        ResponseReceiver               waits for responses, and makes them results
          RequestSender                sends requests, and replaces lost workers
            _recovery                  decides what follows a loss
      ResultBuilder                    builds what the caller gets
      EnvLedger                        how environments stand, and their results
      Slices, WorkerGroup              who has which environments; starts, stops, waits
        wire/                          connections, messages, shared memory

Every call is one section that no signal cuts in two, see `_interrupts`.
"""

from __future__ import annotations

import math
import os
import time
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.errors import WorkerError
from envpool.pool_backend import ActionRows, Ids, Layout, PythonPool, refusals
from numpy.typing import NDArray

from . import _cluster
from ._control_calls import ControlCalls
from ._fast_path import FastPath
from ._interrupts import Interruptible, Uninterrupted
from ._ledger import EnvLedger, Taken
from ._metrics import Metrics
from ._request_sender import RequestSender
from ._response_receiver import ResponseReceiver
from ._rows import FINAL_RESTARTED, RESTARTED, ResultBuilder, WorkerLayout, join, no_rows
from ._settings import Settings
from ._slices import SliceState, start_workers
from ._worker import RESET, STEP
from ._workers import WorkerGroup


class RayPool(PythonPool):
    """A pool whose environments are in actors of Ray."""

    flight: EnvLedger

    def __init__(self, settings: Settings) -> None:
        """Keeps its settings. The workers start with the first call of `set_result_layouts`."""
        self._settings = settings
        self._layout: WorkerLayout | None = None
        self._group: WorkerGroup[SliceState] | None = None  # None: the pool is closed
        self._finalizer: Any = None
        self._fast_path: FastPath | None = None  # None: the pool has not been open
        self._last_owner: int | None = None  # of all that was received last
        self._is_in_call = False
        super().__init__(
            settings.config,
            settings.results,
            settings.actions,
            settings.task_id,
            settings.autoreset_mode,
        )

    @property
    def num_threads(self) -> int:
        """Threads of all workers together."""
        return 0 if self._group is None else sum(m.threads for m in self._group.workers)

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        calls = None if self._fast_path is None else self._fast_path.armed
        return self.flight.count if calls is None else int(calls.num_in_flight)

    @property
    def restarts(self) -> list[int]:
        """How often each worker was replaced."""
        return [] if self._group is None else [m.restarts for m in self._group.workers]

    # Methods that `PythonPool` calls.

    def new_flight(self) -> EnvLedger:
        """A ledger in which no environment has started."""
        return EnvLedger(self.arguments.all, self._settings)

    def layouts_changed(self) -> None:
        """Starts the workers, which have to know."""
        step, reset = (layout.tree for layout in self.layouts)
        own = (RESTARTED, FINAL_RESTARTED)
        self._layout = WorkerLayout.of(step, reset, own, self._settings.max_players > 1)
        self._builders = {layout: ResultBuilder(layout.tree) for layout in self.layouts}
        self.closed = True
        self.free()
        self._open()

    def open(self) -> None:
        """Starts the workers, if it is known what they are asked for."""
        layout = self._layout
        if layout is None:
            return
        settings = self._settings = self._settings.with_seeds(self.seeds.tolist())
        slices, group = start_workers(settings, layout)
        sender = RequestSender(settings, slices, group, self.flight, self.arguments.per_player)
        receiver = ResponseReceiver(settings, slices, group, self.flight, sender, layout)
        self._sender, self._receiver = sender, receiver
        self._control_calls = ControlCalls(settings, slices, self.flight, sender, receiver)
        self._fast_path = FastPath(settings, slices, group, self.flight, sender, receiver, layout)
        self._metrics = Metrics(settings.task_id)
        self._last_owner = None
        self._group = group
        self._finalizer = weakref.finalize(self, _forget, group, self._owner)

    def free(self) -> None:
        """Ends the workers, and the cluster if the pool has started it and nobody else needs it."""
        group, self._group = self._group, None
        if group is None:
            return
        self._finalizer.detach()
        if self._fast_path is not None:
            self._fast_path.retire()
        try:
            group.close()
        finally:
            _cluster.leave(group.ray)

    def begin_steps(self, ids: Ids, action: ActionRows) -> None:
        """Sends actions."""
        self._sender.send(STEP, ids, action, self._last_owner if ids is self._last_ids else None)

    def begin_episodes(self, ids: Ids, seeds: list[int] | None) -> None:
        """Sends resets."""
        self._sender.send(RESET, ids, seeds)

    def collect(self, seconds: float | None) -> None:
        """Takes responses that come within a moment."""
        until = None if seconds is None else time.monotonic() + seconds
        if not self._receiver.wait(until):
            raise RuntimeError(f"{self.task_id}: results that no actor has to send")
        self.check_open("recv")  # a handler of a signal may close the pool

    def build(self, parts: Sequence[Any], order: NDArray[np.intp] | None, layout: Layout) -> Any:
        """A result of rows of workers."""
        assert self._group is not None
        rows = join(parts)
        if order is not None:
            rows = rows.take(order)
        self._last_owner = None if self.is_sync else rows.owner
        self.arguments.remember(rows.ids, rows.players)
        self._metrics.tell(self._group.workers)
        return self._builders[layout].of(rows)

    def nothing(self, layout: Layout) -> Any:
        """The result of a call that names no environment."""
        assert self._layout is not None
        settings = self._settings
        return self._builders[layout].of(
            no_rows(self._layout, settings.results, settings.per_player)
        )

    def draw_all(self, ids: Ids, width: int, height: int, camera_id: int) -> NDArray[np.uint8]:
        """Frames, drawn by the workers."""
        return self._control_calls.render(ids, width, height, camera_id)

    def states_of(self, ids: Ids) -> list[bytes]:
        """One state for each id."""
        return self._control_calls.save_state(ids)

    def set_states(self, states: Sequence[bytes], ids: Ids) -> None:
        """Loads all states, or raises and loads none."""
        self._control_calls.load_state(states, ids)

    # Calls that the fast path may do.

    def using(self) -> Any:
        """A call of the pool, for `with`."""
        if os.getpid() != self._owner:
            raise refusals.forked(self.task_id)
        return _Call(self)

    def send(self, action: Any, env_id: Any = None) -> None:
        """Gives the workers of some environments one request each."""
        if (calls := self._armed()) is not None:
            before = None
            try:
                with self._lock:
                    before, rows = calls.count, self._usual_rows(calls, action, env_id)
                    if rows is not None and calls.send(rows) is not None:
                        return
            except BaseException:
                self._take_back_fast(calls, before)
                raise
        super().send(action, env_id)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Is `send` and `recv` in one."""
        result = before = None
        if (calls := self._armed()) is not None:
            try:
                with self._lock:
                    before, rows = calls.count, self._usual_rows(calls, action, env_id)
                    if rows is not None:
                        result = calls.step(rows)
                    if result is not None and result is not False:
                        if not self.is_sync:
                            self._last_ids = calls.last_ids
                        return result
            except BaseException:
                self._take_back_fast(calls, before)
                raise
        if result is None:
            return super().step(action, env_id)
        with self.using():  # it was sent
            self.check_open("step or send")
            return self._receive(self.layouts[0], newest=self.is_sync)

    def recv(self, reset: bool = False, timeout: float | None = None) -> Any:
        """Waits for a batch."""
        is_usual = not reset and (timeout is None or timeout >= 0)
        if is_usual and (calls := self._armed()) is not None:
            until = math.inf if timeout is None else time.monotonic() + timeout
            before = None
            try:
                with self._lock:
                    before = calls.count
                    if (result := calls.recv(until)) is not None:
                        self._last_ids = calls.last_ids
                        return result
            except BaseException:
                self._take_back_fast(calls, before)
                raise
            timeout = None if timeout is None else max(0.0, until - time.monotonic())
        return super().recv(reset, timeout)

    def close(self) -> None:
        """Ends the workers; a handler of a signal may call it within another call."""
        if os.getpid() != self._owner:
            return
        with self._lock, Uninterrupted():
            if not self.closed:
                self.closed = True
                self.flight = self.new_flight()
                self.free()

    def _let_others(self, seconds: float) -> None:
        self._is_in_call = False
        try:
            super()._let_others(seconds)
        finally:
            self._is_in_call = True
        with Interruptible():
            pass  # handlers are called here
        self._settle()

    def _armed(self) -> Any:
        """The compiled part of the fast path; None while it is not armed.

        Callers have a `try` of their own: an interrupt between two functions would lose a result.
        """
        fast_path = self._fast_path
        return None if fast_path is None or os.getpid() != self._owner else fast_path.armed

    def _usual_rows(self, calls: Any, action: Any, env_id: Any) -> NDArray[Any] | None:
        """The checked rows of an action for the fast path; None if Python has to send them."""
        last = self._last_ids
        if not calls.ready or self.arguments.ids_of_action(action, env_id, last) is not last:
            return None
        rows: NDArray[Any] = self.arguments.single_array(action, last)
        return rows

    def _take_back_fast(self, calls: Any, before: int | None) -> None:
        """Such a call was interrupted: what it would have given comes again."""
        with self._lock:
            if before is not None and calls.count == before + 1:
                calls.take_back()

    def _settle(self) -> None:
        """Has all that the fast path has done known here."""
        if self._fast_path is not None and self._fast_path.armed is not None:
            last = self._fast_path.settle()
            if last is not None and not self.is_sync:
                self._last_ids, self._last_owner = last

    def _arm(self) -> None:
        """Lets the fast path take the next calls, if it can."""
        if self._group is not None and self._fast_path is not None:
            self._fast_path.arm(self._last_ids, self._last_owner)

    def _take_back(self, taken: Taken | None) -> None:
        """A call had all that it wanted, but its caller has not got it: it comes again."""
        if taken is not None:
            with self._lock, Uninterrupted():
                self._settle()
                self.flight.take_back(taken)


class _Call:
    """A call, which signals do not cut in two. A generator would take twice the time."""

    __slots__ = ("_pool", "_section")

    def __init__(self, pool: RayPool) -> None:
        """Takes no lock yet."""
        self._pool = pool

    def __enter__(self) -> None:
        pool = self._pool
        self._section = Uninterrupted()
        with pool._lock:  # a signal may come until the section begins
            self._section.__enter__()
            try:
                if pool._is_in_call:  # of this thread, which has the lock
                    raise refusals.nested(pool.task_id)
                pool._settle()
            except BaseException:
                self._section.__exit__()
                raise
            pool._is_in_call = True
            pool._lock.acquire()  # until __exit__

    def __exit__(self, *raised: Any) -> None:
        pool, error = self._pool, raised[1]
        taken, pool.flight.taken = pool.flight.taken, None
        try:
            with pool._lock:
                pool._is_in_call = False
                pool._lock.release()
                if error is None:
                    pool._arm()
                elif not isinstance(error, WorkerError):
                    pool._take_back(taken)
                    taken = None
                self._section.__exit__()
        except BaseException:  # a signal: its handlers are called from the end of the section on
            pool._take_back(taken)
            raise


def _forget(group: WorkerGroup[SliceState], owner: int) -> None:
    """Ends the workers of a pool that nobody has closed."""
    if os.getpid() == owner:
        group.stop_all()
        _cluster.leave(group.ray)
