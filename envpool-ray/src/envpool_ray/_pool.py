# SPDX-License-Identifier: Apache-2.0
"""RayPool: the pool that stands where others have a compiled one.

`send` gives every worker one request with its rows of the action; `recv` takes responses of
whichever workers have one. A part calls only those below it:

    RayPool
      FastPath                         steady-state calls, in compiled code
      ControlCalls                     render and states
        ResponseReceiver               waits for responses, and makes them results
          RequestSender                sends requests, and replaces lost workers
            _recovery                  what follows a loss
      Arguments, ResultBuilder         what the caller gives and gets
      EnvLedger                        how environments stand, and their results
      Slices, WorkerGroup              who has which environments; starts, stops, waits
        wire/                          connections, messages, shared memory

Every call is one section that no signal cuts in two, see `_interrupts`.
"""

from __future__ import annotations

import math
import os
import threading
import time
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.errors import WorkerError
from envpool.pool_backend import Arguments, Ids, PoolBackend, refusals
from numpy.typing import NDArray

from . import _cluster
from ._batch import FINAL_RESTARTED, RESTARTED, Batch, ResultBuilder, ResultLayout, no_rows
from ._control_calls import ControlCalls
from ._fast_path import FastPath
from ._interrupts import Uninterrupted
from ._ledger import EnvLedger
from ._metrics import Metrics
from ._request_sender import RequestSender
from ._response_receiver import ResponseReceiver
from ._settings import Settings
from ._slices import SliceState, start_workers
from ._worker import RESET, STEP
from ._workers import WorkerGroup

_NAP = 0.005  # seconds between two looks at what another thread sends


class RayPool(PoolBackend):
    """A pool whose environments are in actors of Ray."""

    def __init__(self, settings: Settings) -> None:
        """Keeps its settings. The workers start with the first call of `set_result_layouts`."""
        self._settings = settings
        self._seeds = np.asarray(settings.seeds, np.int64)  # of each environment, the last given
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._layout: ResultLayout | None = None
        self._group: WorkerGroup[SliceState] | None = None  # None: the pool is closed
        self._finalizer: Any = None
        self._given: Batch | WorkerError | None = None  # by the call that goes on
        self._fast_path: FastPath | None = None  # None: the pool has not been open

    @property
    def task_id(self) -> str:
        """For messages."""
        return self._settings.task_id

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._group is None

    @property
    def num_threads(self) -> int:
        """Threads of all workers together."""
        return 0 if self._group is None else sum(m.threads for m in self._group.workers)

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        if self._group is None or self._fast_path is None:
            return 0
        calls = self._fast_path.armed
        return self._ledger.num_in_flight if calls is None else int(calls.num_in_flight)

    @property
    def restarts(self) -> list[int]:
        """How often each worker was replaced."""
        return [] if self._group is None else [m.restarts for m in self._group.workers]

    def set_result_layouts(self, step: object, reset: object) -> None:
        """Says how results are built, and starts the workers, which have to know."""
        own = (RESTARTED, FINAL_RESTARTED)
        layout = ResultLayout.of(step, reset, own, self._settings.max_players > 1)
        with self._lock, Uninterrupted():
            if self._layout is not None and self._group is not None:
                if self._ledger.num_in_flight:
                    task_id, count = self._settings.task_id, self._ledger.num_in_flight
                    raise refusals.busy("set_result_layouts", task_id, count)
                self.close()
            self._layout = layout
            self._builders = ResultBuilder(step), ResultBuilder(reset)
            self._open()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Gives the workers of some environments one request each."""
        if (calls := self._armed()) is not None:
            before = None
            try:
                with self._lock:
                    before = calls.count
                    if calls.send(action, env_id) is not None:
                        return
            except BaseException:
                self._take_back_fast(calls, before)
                raise
        with self._own_lock("step or send"), _Use(self, "step or send"):
            self._send(action, env_id)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Is `send` and `recv` in one."""
        result = before = None
        if (calls := self._armed()) is not None:
            try:
                with self._lock:
                    before = calls.count
                    result = calls.step(action, env_id)
                    if result is not None and result is not False:
                        return result
            except BaseException:
                self._take_back_fast(calls, before)
                raise
        with self._own_lock("step or send"), _Use(self, "step or send"):
            sync = self._settings.sync
            if result is None and not self._send(action, env_id, then_recv=True) and sync:
                return self._nothing(reset=False)
            return self._receive(reset=False, newest=sync)

    def reset(self, env_id: object = None, seed: object = None) -> Any:
        """Is `async_reset` and `recv(True)` in one."""
        with self._own_lock("reset"), _Use(self, "reset", opens=True):
            ids = self._send_reset(env_id, seed, then_recv=True)
            if not len(ids):
                return self._nothing(reset=True)
            if self._settings.sync or env_id is None:
                return self._receive(reset=True, newest=self._settings.sync)
            self._receiver.gather(self._ledger.has_all, None)
            return self._give(self._ledger.take_of(ids), reset=True)

    def async_reset(self, env_id: object = None, seed: object = None) -> None:
        """Starts episodes and returns."""
        with self._own_lock("reset"), _Use(self, "reset", opens=True):
            self._send_reset(env_id, seed)

    def recv(self, reset: bool = False, timeout: float | None = None) -> Any:
        """Waits for a batch."""
        if timeout is not None and not timeout >= 0:
            raise refusals.wrong_timeout(self._settings.task_id, timeout)
        until = math.inf if timeout is None else time.monotonic() + timeout
        if not reset and (calls := self._armed()) is not None:
            before = None
            try:
                with self._lock:
                    before = calls.count
                    if (result := calls.recv(until)) is not None:
                        return result
            except BaseException:
                self._take_back_fast(calls, before)
                raise
        if timeout is None:
            with self._own_lock("recv"), _Use(self, "recv"):
                return self._receive(reset)
        while True:
            with self._own_lock("recv"), _Use(self, "recv"):
                if self._ledger.will_do() or time.monotonic() >= until:
                    return self._receive(reset, until)
            time.sleep(
                max(0.0, min(_NAP, until - time.monotonic()))
            )  # another thread may send what is missing

    def render(
        self,
        env_ids: NDArray[np.int32],
        width: int,
        height: int,
        camera_id: int,
        depth: bool = False,
    ) -> NDArray[np.uint8]:
        """Frames, drawn by the workers."""
        with self._own_lock("render"), _Use(self, "render"):
            return self._control_calls.render(env_ids, width, height, camera_id)

    def save_state(self, env_ids: NDArray[np.int32]) -> list[bytes]:
        """One state for each id."""
        with self._own_lock("save_state"), _Use(self, "save_state"):
            return self._control_calls.save_state(env_ids)

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32]) -> None:
        """Loads all states, or raises and loads none."""
        with self._own_lock("load_state"), _Use(self, "load_state"):
            self._control_calls.load_state(states, env_ids)

    def close(self) -> None:
        """Ends the workers, and the cluster if the pool has started it and nobody else needs it."""
        with self._lock, Uninterrupted():
            group, self._group = self._group, None
            if group is None or os.getpid() != self._owner:
                return
            self._finalizer.detach()
            if self._fast_path is not None:
                self._fast_path.retire()
            self._ledger.clear()
            try:
                group.close()
            finally:
                _cluster.leave(group.ray)

    def _open(self) -> None:
        layout = self._layout
        assert layout is not None
        settings = self._settings = self._settings.with_seeds(self._seeds.tolist())
        slices, group = start_workers(settings, layout)
        self._arguments = Arguments(
            settings.actions, settings.num_envs, settings.max_players, settings.task_id
        )
        self._last_ids: Ids | None = None
        self._last_owner: int | None = None
        self._changes = 0  # of `EnvLedger`, when they came
        self._ledger = ledger = EnvLedger(settings)
        sender = RequestSender(settings, slices, group, ledger, self._arguments.per_player)
        receiver = ResponseReceiver(settings, slices, group, ledger, sender, layout)
        self._sender, self._receiver = sender, receiver
        self._control_calls = ControlCalls(settings, slices, ledger, sender, receiver)
        self._fast_path = FastPath(settings, slices, group, ledger, sender, receiver, layout)
        self._metrics = Metrics(settings.task_id)
        self._group = group
        self._finalizer = weakref.finalize(self, _forget, group, self._owner)

    def _armed(self) -> Any:
        """The compiled part of the fast path; None while it is not armed.

        Who uses it has a `try` of its own: an interrupt between two functions would lose a result.
        """
        fast_path = self._fast_path
        return None if fast_path is None or os.getpid() != self._owner else fast_path.armed

    def _take_back_fast(self, calls: Any, before: int | None) -> None:
        """Such a call was interrupted: what it would have given comes again."""
        with self._lock:
            if before is not None and calls.count == before + 1:
                calls.take_back()

    def _settle(self) -> None:
        """Has all that the fast path has done known here."""
        if self._fast_path is not None and self._fast_path.armed is not None:
            last = self._fast_path.settle()
            if last is not None:
                self._last_ids, self._last_owner = last
                self._changes = self._ledger.changes if self._last_owner is not None else -1

    def _arm(self) -> None:
        """Lets the fast path take the next calls, if it can."""
        if self._group is not None and self._fast_path is not None:
            self._fast_path.arm(self._last_ids, self._last_owner)

    def _nothing(self, reset: bool) -> Any:
        """The result of a call that names no environment."""
        assert self._layout is not None
        return self._builders[reset].of(no_rows(self._layout, self._settings.results))

    def _send(self, action: Any, env_id: Any, then_recv: bool = False) -> int:
        """Sends actions, and says to how many environments."""
        ledger, settings = self._ledger, self._settings
        last = None if settings.sync else self._last_ids
        ids = self._arguments.ids_of_action(action, env_id, last)
        owner = None
        if ids is last and ledger.changes == self._changes:
            owner = self._last_owner  # and nothing can be wrong with those that have just come
        else:
            ledger.check(ids, "step or send to", ledger.in_flight | ledger.broken)
        if settings.autoreset_mode == "disabled":
            ledger.check_episodes(ids)
        if then_recv and len(ids):
            ledger.check_receive(len(ids))
        self._sender.send(STEP, ids, self._arguments.rows(action, ids), owner)
        return len(ids)

    def _send_reset(self, env_id: object, seed: object, then_recv: bool = False) -> Ids:
        ledger = self._ledger
        ids = self._arguments.ids(env_id, "reset(env_id=...)")
        seeds = self._arguments.seeds(seed, ids)
        # What is in flight is replaced by the reset; of an asynchronous pool, all or nothing.
        drops = self._settings.sync or env_id is None
        ledger.check(
            ids, "reset of", np.zeros_like(ledger.in_flight) if drops else ledger.in_flight
        )
        if drops and np.count_nonzero(ledger.in_flight[ids]):
            self._drop(ids)
        if then_recv and len(ids):
            ledger.complete()  # what is in flight beside them is for the next recv()
            if drops:
                ledger.check_receive(len(ids))
        if seeds is not None:
            self._seeds[ids] = seeds
        self._sender.send(RESET, ids, seeds)
        return ids

    def _drop(self, ids: Ids) -> None:
        """Waits for what is in flight, and forgets the results of some environments."""
        group = self._group
        assert group is not None
        self._receiver.gather(lambda: not any(m.pending for m in group.workers), None)
        self._ledger.drop(ids)

    def _receive(self, reset: bool, until: float | None = None, newest: bool = False) -> Any:
        ledger = self._ledger
        if until is None:
            ledger.check_receive()
        if ledger.will_do():
            self._receiver.gather(lambda: ledger.is_full(newest), until)
        if until is not None and not (ledger.will_do() and ledger.is_full()):
            raise refusals.timed_out(self._settings.task_id, *ledger.progress())
        return self._give(ledger.take(newest), reset)

    def _give(self, batch: Batch | WorkerError, reset: bool) -> Any:
        """What the caller gets of a batch that was taken, or its failures."""
        assert self._group is not None
        ledger, self._given = self._ledger, batch
        if isinstance(batch, WorkerError):
            raise batch
        self._last_ids, self._last_owner = batch.env_ids, batch.owner
        self._changes = ledger.changes
        self._arguments.remember(batch.env_ids, batch.players)
        self._metrics.tell(self._group.workers)
        return self._builders[reset].of(batch)

    def _take_back(self, error: BaseException) -> None:
        """A call ends so: if it had all that it wanted, what it would have given comes again."""
        given, self._given = self._given, None
        if given is None or error is given:
            return
        with Uninterrupted():
            self._settle()
            self._ledger.take_back(given)

    def _own_lock(self, call: str) -> threading.RLock:
        """What keeps other threads out; it may be held for ever in a process that was forked."""
        if os.getpid() != self._owner:
            raise refusals.forked(self._settings.task_id)
        return self._lock

    def _be_open(self, call: str, opens: bool) -> None:
        if self._group is None:
            if not opens:
                raise refusals.closed(call, self._settings.task_id)
            self._open()


class _Use:
    """A call: keeps signals out, and refuses what a closed pool cannot do.

    A generator would take twice the time.
    """

    def __init__(self, pool: RayPool, call: str, opens: bool = False) -> None:
        self._pool, self._call, self._opens = pool, call, opens
        self._section = Uninterrupted()

    def __enter__(self) -> None:
        self._section.__enter__()
        try:
            self._pool._be_open(self._call, self._opens)
            self._pool._settle()
        except BaseException:
            self._section.__exit__()
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._pool._arm()
            self._section.__exit__()
            if error is not None:
                self._pool._take_back(error)
            else:
                self._pool._given = None  # the last line: a signal before it is caught below
        except BaseException as interrupt:
            self._pool._take_back(interrupt)
            raise


def _forget(group: WorkerGroup[SliceState], owner: int) -> None:
    """Ends the workers of a pool that nobody has closed."""
    if os.getpid() == owner:
        group.stop_all()
        _cluster.leave(group.ray)
