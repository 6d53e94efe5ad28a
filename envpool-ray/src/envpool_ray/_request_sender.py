# SPDX-License-Identifier: Apache-2.0
"""RequestSender: requests to workers, and to those that take the place of lost ones.

A worker takes its requests in order, so environments see the same actions in the same order as in
one process. Whatever becomes of a worker, each of its requests is answered in the end: by it, by
its successor, by a row of an episode that was cut off, or by a failure.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np
from envpool.pool_backend import Ids
from numpy.typing import NDArray

from . import _recovery
from ._ledger import EnvLedger
from ._settings import Settings
from ._slices import Request, Slices, SliceState
from ._worker import RESET, STEP
from ._workers import WorkerGroup, reason
from .wire.shared_buffers import BufferSlot


class RequestSender:
    """Gives workers what they have to do."""

    def __init__(
        self,
        settings: Settings,
        slices: Slices,
        group: WorkerGroup[SliceState],
        ledger: EnvLedger,
        per_player: frozenset[str],
    ) -> None:
        """Sends nothing yet.

        Args:
            settings: The settings of the pool.
            slices: Its environments' workers, and memory for results.
            group: The workers.
            ledger: How environments stand.
            per_player: Arrays of an action that have a row for each player.
        """
        self._settings, self._slices, self._group = settings, slices, group
        self._ledger, self._per_player = ledger, per_player

    def send(self, kind: str, ids: Ids, payload: Any, owner: int | None = None) -> None:
        """Sends what was checked to the workers of some environments, one request each.

        Args:
            kind: `STEP` or `RESET`.
            ids: The environments.
            payload: Rows of an action, or seeds.
            owner: The number of the worker of all of them, if it is known to be one.
        """
        if not len(ids):
            return
        if kind == RESET:
            self._ledger.begin_again(ids)
        common = self._slices.buffers.acquire(len(ids)) if self._settings.sync else None
        if owner is not None:
            self._post(self._slices.workers[owner], kind, ids, payload, common)
            return
        for worker, rows in self._slices.split(ids):
            if len(rows) == len(ids):
                self._post(worker, kind, ids, payload, common)
            else:
                part = self._part(kind, payload, rows, ids[rows])
                self._post(worker, kind, ids[rows], part, common)

    def ask(self, worker: SliceState, request: Request, changes: bool) -> None:
        """Sends a worker what is no step; it is dropped if that is lost before it answers.

        Args:
            worker: The worker.
            request: The question.
            changes: Whether a worker that takes its place has to do the same.
        """
        self._revive(worker)
        worker.pending.append(request)
        if changes and self._settings.every:
            worker.log.append(request)
        self.deliver(worker, request)

    def deliver(self, worker: SliceState, request: Request) -> None:
        """Sends a worker a request that is pending; one that starts gets it then."""
        try:
            self._transmit(worker, request)
        except OSError as error:
            self.replace_lost(worker, error)

    def begin(self, worker: SliceState) -> None:
        """A worker has started: sends what it has to do.

        Raises:
            OSError: If it was lost.
        """
        for request in [*(one for one in worker.log if one.answered), *worker.pending]:
            self._transmit(worker, request)

    def replace_lost(self, worker: SliceState, error: OSError) -> None:
        """The connection to a worker is lost: starts another one, unless that has not helped."""
        self.replace(worker, self._group.loss_cause(worker, error))

    def replace(self, worker: SliceState, cause: BaseException) -> None:
        """A worker is lost: starts another one, unless that has not helped."""
        never_ran = worker.connection is None
        if never_ran and not isinstance(cause, self._group.ray.exceptions.RayTaskError):
            worker.start_error = reason(cause)
        else:
            worker.losses += 1
        if _recovery.may_restart(worker.losses, cause):
            self.restart(worker)
        else:
            self.give_up(worker, cause)

    def restart(self, worker: SliceState) -> None:
        """Starts another worker, and brings its environments back as far as possible."""
        if worker.start_ref is None:  # the time of one that never started goes on
            worker.since = time.monotonic()
        self._stop(worker)
        worker.restarts += 1
        self._group.start(worker, self._slices.start_args(worker, self._group.threads))
        left = _recovery.resumption(worker.pending, worker.log, self._settings.every > 0)
        worker.pending, worker.log = deque(left.pending), left.log
        if not self._settings.every:
            self._ledger.lose(worker.ids)
        for request in left.again:
            if request.kind == RESET:
                self._ledger.begin_again(request.ids)
                again = Request(RESET, request.ids, request.payload, request.replaces_step)
                self._enqueue(worker, again)
            else:
                self._post(worker, STEP, request.ids, request.payload)

    def give_up(self, worker: SliceState, cause: BaseException) -> None:
        """A worker cannot be replaced: what it had to do has failed."""
        self._stop(worker)
        text = f"actor {worker.index} was lost and cannot be replaced: {reason(cause)}"
        failures = _recovery.failures(
            worker.pending, worker.ids.tolist(), self._settings.every > 0, text
        )
        worker.pending.clear()
        worker.log.clear()
        self._ledger.fail_each(failures)
        self._ledger.lose(worker.ids)

    def _revive(self, worker: SliceState) -> bool:
        """Tries again with a worker that was given up; False if it was not."""
        if worker.handle is not None:
            return False
        worker.losses = 0
        self.restart(worker)
        return True

    def _post(
        self,
        worker: SliceState,
        kind: str,
        ids: Ids,
        payload: Any,
        common: BufferSlot | None = None,
    ) -> None:
        """Sends a worker its request; rows of lost episodes are made here.

        Args:
            worker: The worker.
            kind: `STEP` or `RESET`.
            ids: The environments.
            payload: Rows of an action, or seeds.
            common: In a synchronous pool, the slot of the results of all workers.
        """
        lost = self._ledger.lost
        if kind == STEP and np.count_nonzero(lost) and lost[ids].any():
            gone, rows = ids[lost[ids]], np.flatnonzero(~lost[ids])
            self._end_lost_episodes(worker, gone)
            ids, payload = ids[rows], self._part(kind, payload, rows, ids[rows])
        if not len(ids):
            return
        if self._settings.sync:
            slot = None if common is None else common._replace(row=int(worker.first))
        else:
            slot = self._slices.buffers.acquire(len(ids))
        self._enqueue(worker, Request(kind, ids, payload, slot=slot))

    def _end_lost_episodes(self, worker: SliceState, ids: Ids) -> None:
        ledger = self._ledger
        if self._settings.autoreset_mode == "same_step":
            ledger.begin_again(ids)
            self._enqueue(worker, Request(RESET, ids, None, replaces_step=True))
            return
        last = [ledger.last_row(worker.index, env_id) for env_id in ids.tolist()]
        ledger.cut_off(ids, [_recovery.cut_off(row) for row in last])

    def _enqueue(self, worker: SliceState, request: Request) -> None:
        worker.pending.append(request)
        every = self._settings.every
        if every:
            worker.unsaved += 1
            if worker.unsaved >= every:
                request.save, worker.unsaved = True, 0
            worker.log.append(request)
        if self._revive(worker):  # the request with it
            return
        self.deliver(worker, request)

    def _transmit(self, worker: SliceState, request: Request) -> None:
        request.sent = time.monotonic()
        connection, slot = worker.connection, request.slot
        if connection is None:
            return
        if slot is not None and not (
            worker.local and slot.buffer in self._slices.buffers and connection.share(slot.buffer)
        ):
            request.slot = None
        self._group.send(worker, *request.message(worker.first))

    def _stop(self, worker: SliceState) -> None:
        """Ends a worker. Memory that it may still write into, until it ends, is not used again."""
        self._group.stop(worker)
        for request in worker.pending:
            slot, request.slot = request.slot, None
            if slot is None or not self._slices.buffers.drop(slot.buffer):
                continue
            for other in self._slices.workers:
                if other.connection is not None:
                    with suppress(OSError):  # it is lost, too, as will be seen
                        other.connection.forget(slot.buffer)

    def _part(self, kind: str, payload: Any, rows: NDArray[np.intp], ids: Ids) -> Any:
        if kind == RESET:
            return None if payload is None else [payload[row] for row in rows]
        return payload.take(rows, ids, self._per_player)
