# SPDX-License-Identifier: Apache-2.0
"""FastPath: steady-state calls, which compiled code does without the other parts.

While it is armed, it owns the connections to all workers and knows what is in flight. Any other
call settles it first: then the other parts know all of that, as if they had done it themselves. It
is for results that have the same arrays each time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.pool_backend import NUM_COMMON, ActionRows, ActionSpec, refusals
from numpy.typing import NDArray

from . import _native
from ._ledger import EnvLedger
from ._request_sender import RequestSender
from ._response_receiver import ResponseReceiver
from ._rows import (
    DONE,
    FINAL_RESTARTED,
    RESTARTED,
    WorkerLayout,
    WorkerRows,
    mark_restarted,
    with_arrays,
)
from ._settings import Settings
from ._slices import Request, Slices, SliceState
from ._worker import STEP
from ._workers import WorkerGroup
from .wire.connection import Connection
from .wire.framing import request_header, response_header
from .wire.shared_buffers import BufferSlot, SharedBuffer

_ARMED_SECONDS = 1.0  # seconds, after which the others look at metrics and deadlines
_MOST_SKIPPED = 1023  # calls after which it is armed again where it was of no use


class FastPath:
    """The compiled calls of a pool, and their way from and to the other parts."""

    def __init__(
        self,
        settings: Settings,
        slices: Slices,
        group: WorkerGroup[SliceState],
        ledger: EnvLedger,
        sender: RequestSender,
        receiver: ResponseReceiver,
        layout: WorkerLayout,
    ) -> None:
        """Is not armed.

        Args:
            settings: The settings of the pool.
            slices: Its environments' workers, and memory for results.
            group: The workers.
            ledger: How environments stand.
            sender: Sends what could not be sent here.
            receiver: Takes what was not expected here.
            layout: The arrays that workers are asked for.
        """
        self._settings, self._group, self._ledger = settings, group, ledger
        self._workers, self._buffers = slices.workers, slices.buffers
        self._layout, self._sender, self._receiver = layout, sender, receiver
        self._names = [*layout.names, *layout.obs_names]
        self._numbers = {field.name: at for at, field in enumerate(self._buffers.fields)}
        self._fits = self._is_for_pool()
        self._connections: list[Connection | None] = []  # for which `_made` was
        self._skips = self._skipped = 0
        self._made: Any = None
        self.armed: Any = None
        """The compiled part; None while it is not armed."""

    def arm(self, last_ids: NDArray[np.int32] | None, last_owner: int | None) -> None:
        """Takes the next calls, if nothing stands in the way.

        Args:
            last_ids: Environments of the results that came last.
            last_owner: The number of their worker; None: they are of several.
        """
        if not self._fits or self.armed is not None:
            return
        if self._skipped < self._skips:
            self._skipped += 1
            return
        last = None
        if not (self._settings.sync or last_ids is None or self._ledger.is_any_in_flight(last_ids)):
            if last_owner is None:
                return  # the caller will send to several workers
            last = (last_owner, last_ids)
        if self._group.starting or not self._ledger.is_usual():
            return
        entries: list[Any] = []
        for index, worker in enumerate(self._workers):
            connection = worker.connection
            if connection is None or not connection.idle:
                return
            for request in worker.pending:
                if not self._is_expected(worker, request):
                    return
                entries.append(self._entry(index, request))
        if self._settings.sync and entries:
            return
        connections = [worker.connection for worker in self._workers]
        if connections != self._connections:
            self._made, self._connections = self._new(), connections
        for index, worker in enumerate(self._workers):
            for (shared, rows), (header, kinds) in worker.known_headers.items():
                if not self._made.expects(index, shared, rows):
                    self._expect(index, shared, rows, header, kinds)
        for worker in self._workers:
            worker.pending.clear()
        self.armed = self._made
        self.armed.arm(entries, last, time.monotonic() + _ARMED_SECONDS)

    def settle(self) -> tuple[NDArray[np.int32], int | None] | None:
        """Gives all back to the other parts.

        Returns:
            The environments of what the caller was given last, and the number of their worker, or
            None if they were sent again; None if nothing was given.

        Raises:
            StateError: If a call goes on: this is one of a handler of a signal.
        """
        calls = self.armed
        if calls.busy:
            raise refusals.nested(self._settings.task_id)
        self.armed, self._skipped = None, 0
        self._skips = 0 if calls.count else min(2 * self._skips + 1, _MOST_SKIPPED)
        last = calls.last
        now = time.monotonic()
        channels = calls.settle()
        self._ledger.receive_all()
        late: list[tuple[SliceState, Request]] = []
        for worker, channel in zip(self._workers, channels, strict=True):
            steps, seconds, given, sent, *_ = channel
            worker.steps += steps
            worker.seconds += seconds
            if steps:
                worker.since, worker.losses = now, 0
            for ids, arrays in given:
                self._see(worker, self._rows(worker, arrays, ids))
            for entry in sent:
                self._take_entry(worker, entry, late)
        begun = []
        for worker, (*_, came, rest) in zip(self._workers, channels, strict=True):
            if came or rest:
                self._group.put_back(worker, came, rest)
                begun.append(worker)
        for worker, request in late:
            self._sender.deliver(worker, request)
        for worker in begun:  # last, since a response may be an error
            self._receiver.take(worker)
        if last is None:
            return None
        owner, ids, again = last
        return ids, None if again else owner

    def retire(self) -> None:
        """Is of no more use: the pool closes."""
        if self.armed is not None:
            self.armed.retire()
        self.armed = self._made = None
        self._fits, self._connections = False, []

    def _is_for_pool(self) -> bool:
        settings = self._settings
        return (
            hasattr(_native, "SteadyCalls")
            and settings.max_players == 1
            and settings.every == 0
            and settings.autoreset_mode == "next_step"
            and len(settings.actions) == NUM_COMMON + 1
            and all(name in self._numbers for name in self._names)
        )

    def _new(self) -> Any:
        settings, buffers = self._settings, self._buffers
        spec = ActionSpec.of(settings.actions[NUM_COMMON])
        return _native.SteadyCalls(
            channels=[
                (m.connection.fileno(), int(m.first), len(m.ids), m.local)
                for m in self._workers
                if m.connection
            ],
            fields=[(field.dtype, list(field.item)) for field in buffers.fields],
            tree=_with_numbers(self._layout.step, self._numbers),
            batch_size=0 if settings.sync else settings.batch_size,
            buffer_rows=buffers.rows,
            acquire=buffers.acquire if buffers.shares(buffers.rows) else None,
            header=_RequestHeaders(self._workers, settings.actions[NUM_COMMON][0], spec),
        )

    def _is_expected(self, worker: SliceState, request: Request) -> bool:
        key = (request.slot is not None, len(request.ids))
        return (
            request.kind == STEP
            and not (request.answered or request.replaces_step or request.save)
            and request.payload.players is None
            and key in worker.known_headers
        )

    def _entry(self, index: int, request: Request) -> tuple[Any, ...]:
        (action,) = request.payload.arrays.values()
        slot = None if request.slot is None else tuple(request.slot)
        return (index, request.ids, np.ascontiguousarray(action), slot, request.sent, request)

    def _expect(self, index: int, shared: bool, rows: int, header: Any, kinds: Any) -> None:
        fields = [] if shared else [self._numbers[name] for name in self._names]
        if len(kinds) != len(fields) + 1:
            return  # of a worker that could not share
        self._made.expect(index, shared, rows, response_header(header, kinds), fields)

    def _rows(
        self, worker: SliceState, arrays: Sequence[NDArray[Any]], ids: NDArray[np.int32]
    ) -> WorkerRows:
        ordered = [arrays[self._numbers[name]] for name in self._names]
        named = dict(zip(self._layout.names, ordered, strict=False))
        mark_restarted(named, len(named[DONE]))
        obs = with_arrays(self._layout.obs_tree, ordered)
        rows = WorkerRows(obs, named, {}, self._settings.per_player, worker.index)
        rows.ids = ids  # the caller may have changed those among the arrays
        if rows.players is not None:
            rows.players = ids
        return rows

    def _see(self, worker: SliceState, rows: WorkerRows) -> None:
        self._ledger.record(worker.index, rows, len(rows.ids) == len(worker.ids))
        worker.note_results(rows.ids)

    def _take_entry(
        self, worker: SliceState, entry: Any, late: list[tuple[SliceState, Request]]
    ) -> None:
        ids, action, slot, sent, request, delivered, arrays = entry
        self._ledger.send(ids)
        if arrays is not None:
            rows = self._rows(worker, arrays, ids)
            self._see(worker, rows)
            worker.steps += len(ids)
            self._ledger.add(rows)
            return
        if request is None:
            name = self._settings.actions[NUM_COMMON][0]
            where = None if slot is None else BufferSlot(*slot)
            request = Request(STEP, ids, ActionRows({name: action}, None), slot=where)
            request.sent = sent
        worker.pending.append(request)
        if not delivered:
            late.append((worker, request))


class _RequestHeaders:
    """Makes the headers of requests; keeps nothing of a pool but its workers."""

    def __init__(self, workers: Sequence[SliceState], action: str, spec: ActionSpec) -> None:
        self._workers, self._action, self._spec = workers, action, spec

    def __call__(
        self, index: int, rows: int, buffer: SharedBuffer | None, row: int
    ) -> bytes | None:
        connection = self._workers[index].connection
        try:
            if connection is None or (buffer is not None and not connection.share(buffer)):
                return None
        except OSError:  # it is lost: the sender sees that, too, and replaces the worker
            return None
        at = None if buffer is None else (buffer.number, row)
        ids = (np.dtype(np.int32), (rows,))
        kinds = (ids, (self._spec.dtype, (rows, *self._spec.item)))
        return request_header(("work", False, (STEP, (self._action,), False, at)), kinds)


def _with_numbers(layout: Any, numbers: dict[str, int]) -> Any:
    """A layout whose names are numbers of fields; True and False are arrays of that."""
    if isinstance(layout, str):
        if layout == "*":
            return True
        return False if layout in (RESTARTED, FINAL_RESTARTED) else numbers[layout]
    if isinstance(layout, dict):
        return {key: _with_numbers(leaf, numbers) for key, leaf in layout.items()}
    if isinstance(layout, (tuple, list)):
        return type(layout)([_with_numbers(leaf, numbers) for leaf in layout])
    return layout  # a class, or None
