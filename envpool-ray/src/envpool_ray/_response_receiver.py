# SPDX-License-Identifier: Apache-2.0
"""ResponseReceiver: waits for workers, takes what they answer, and sees which do not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from envpool.errors import EnvPoolError

from . import _recovery
from ._interrupts import Interruptible
from ._ledger import EnvLedger
from ._request_sender import RequestSender
from ._rows import ENV_ID, WorkerLayout, WorkerRows, mark_restarted, with_arrays
from ._settings import Settings
from ._slices import Request, Slices, SliceState
from ._worker import Response
from ._workers import WorkerGroup
from .wire.framing import Header
from .wire.shared_buffers import BufferRows, BufferSlot

_TICK = 0.5  # seconds between two looks at deadlines
_TICK_OF_STARTS = 0.1  # and at workers that start, which only Ray knows of


class ResponseReceiver:
    """Turns responses of workers into results."""

    def __init__(
        self,
        settings: Settings,
        slices: Slices,
        group: WorkerGroup[SliceState],
        ledger: EnvLedger,
        sender: RequestSender,
        layout: WorkerLayout,
    ) -> None:
        """Waits for nothing yet.

        Args:
            settings: The settings of the pool.
            slices: Its environments' workers, and memory for results.
            group: The workers.
            ledger: Gets the results.
            sender: Replaces workers.
            layout: The arrays that workers are asked for.
        """
        self._settings, self._buffers, self._group = settings, slices.buffers, group
        self._ledger, self._sender = ledger, sender
        self._names, self._obs_tree = layout.names, layout.obs_tree
        self._ids_at = layout.names.index(ENV_ID)
        self._next_look = 0.0

    def gather(
        self, enough: Callable[[], bool], until: float | None, interrupts: bool = True
    ) -> None:
        """Takes responses until there are enough, or the time is over."""
        while not enough() and self.wait(until, interrupts):
            if until is not None and time.monotonic() >= until:
                return

    def wait(self, until: float | None, interrupts: bool = True) -> bool:
        """Waits for a moment, at most until then, and takes what has come; False: nothing will."""
        group = self._group
        starting = group.starting
        if not starting and not any(worker.pending for worker in group.workers):
            return False
        left = _TICK_OF_STARTS if starting else _TICK
        if until is not None:
            left = max(0.0, min(left, until - time.monotonic()))
        with Interruptible() if interrupts else nullcontext():
            ready = group.select(left)
        for worker in ready:
            self.take(worker)
        if starting:
            group.check_connected()
            started, _ = group.ray.wait([*starting], num_returns=len(starting), timeout=0)
            for ref in started:
                self._take_start(starting[ref], interrupts)
        now = time.monotonic()
        if now >= self._next_look:
            if not ready:
                for worker in group.lost():
                    self._sender.replace_lost(worker, ConnectionError("the actor was lost"))
            self._look_at_deadlines(now)
        return True

    def take(self, worker: SliceState) -> None:
        """Takes what has come from a worker."""
        connection = worker.connection
        try:
            if connection is not None:
                if connection.sending:
                    connection.flush()
                received = connection.receive()
                if received is not None:
                    self._take_response(worker, worker.pending[0], *received)
        except OSError as error:
            self._sender.replace_lost(worker, error)

    def _take_start(self, worker: SliceState, interrupts: bool) -> None:
        try:
            self._group.finish_start(worker, interrupts)
            self._sender.begin(worker)
        except (self._group.ray.exceptions.RayError, EnvPoolError, OSError) as cause:
            self._sender.replace(worker, cause)

    def _take_response(
        self, worker: SliceState, request: Request, header: Header, arrays: list[Any]
    ) -> None:
        """Takes the response to the first request of a worker."""
        worker.since, worker.losses = time.monotonic(), 0
        slot, request.slot = request.slot, None
        request.answered, content = True, header.value
        worker.pending.popleft()
        if not request.plays:
            request.response = content
            if isinstance(content, EnvPoolError) and request in worker.log:
                worker.log.remove(request)
            return
        if isinstance(content, EnvPoolError):  # to what was checked here: nothing has happened
            if self._settings.every:
                worker.log.remove(request)
            self._ledger.refuse(request.ids)
            raise content
        response = Response(*content)
        worker.steps += len(request.ids)
        worker.seconds += float(arrays[-1][0])
        if response.states is not None:
            worker.states |= response.states
            worker.log = worker.log[worker.log.index(request) + 1 :]
        if response.failures:
            self._ledger.fail_each(response.failures)
        if len(arrays) == 1 and not header.shared:
            return
        worker.note_results(request.ids)
        key = (slot is not None, len(request.ids))
        if len(content) == 1 and key not in worker.known_headers:
            kinds = tuple([(array.dtype, array.shape) for array in arrays])
            worker.known_headers[key] = header, kinds
        rows = self._rows_of(worker, response, header, arrays, slot)
        if request.replaces_step:
            last = [self._ledger.last_row(worker.index, i) for i in rows.ids.tolist()]
            rows = _recovery.cut_off_by_reset(rows, last, self._settings.per_player)
        self._ledger.record(worker.index, rows, len(rows.ids) == len(worker.ids))
        self._ledger.add(rows)

    def _rows_of(
        self,
        worker: SliceState,
        response: Response,
        header: Header,
        arrays: list[Any],
        slot: BufferSlot | None,
    ) -> WorkerRows:
        buffers, per_player = self._buffers, self._settings.per_player
        obs = self._obs_tree if type(response.obs) is int else response.obs
        if slot is not None and len(arrays) == 1 and not response.info:
            envs = header.counts[self._ids_at]
            lying = BufferRows(buffers, slot, envs, header.numbers, header.counts)
            return WorkerRows.lying(lying, self._names, obs, per_player, worker.index)
        for at, number, count in header.shared:
            assert slot is not None
            arrays.insert(at, buffers.fields[number].array(slot.memory, slot.row, count))
        named = dict(zip(self._names, arrays, strict=False))  # those of obs and info follow
        mark_restarted(named, len(named[ENV_ID]))
        info = with_arrays(response.info, arrays) if response.info else {}
        obs = with_arrays(obs, arrays)
        return WorkerRows(obs, named, info, per_player, worker.index)

    def _look_at_deadlines(self, now: float) -> None:
        """Replaces workers that hang, and gives up those that do not start."""
        self._next_look = now + _TICK
        settings = self._settings
        for worker in self._group.workers:
            if worker.start_ref is not None:
                if now - worker.since > settings.start_timeout:
                    asked = f"restart of actor {worker.index} of {settings.task_id}"
                    self._sender.give_up(worker, self._group.too_late(asked, 1, worker.start_error))
            elif worker.pending and worker.handle is not None:
                began = max(worker.since, worker.pending[0].sent)
                if now - began > settings.deadline:
                    late = TimeoutError(f"no answer in {settings.deadline:g} s")
                    self._sender.replace(worker, late)
