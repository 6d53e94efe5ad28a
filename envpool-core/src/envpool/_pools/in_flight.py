# SPDX-License-Identifier: Apache-2.0
"""InFlight: the environments in flight, and their rows until the caller receives them.

For pools that are written in Python; compiled pools have `engine/in_flight.h`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import StateError
from . import refusals
from .arguments import Ids


class Rows:
    """Results of some environments, in memory of this process.

    Attributes:
        ids: The environments, int32 of shape (rows,).
        arrays: By the names of layouts, as "obs" and "final obs"; a row for each environment.
    """

    def __init__(self, ids: Ids, arrays: dict[str, NDArray[Any]]) -> None:
        """Keeps ids and arrays."""
        self.ids, self.arrays = ids, arrays

    def is_ready(self) -> bool:
        """Whether reading them needs no waiting."""
        return True

    def take(self, index: Any) -> Rows:
        """Some rows, by position or mask."""
        return Rows(self.ids[index], {name: array[index] for name, array in self.arrays.items()})

    def done(self) -> NDArray[np.bool_]:
        """A mask of the rows that end an episode."""
        return self.arrays["done"]


class _Call:
    """Environments of a synchronous pool whose rows come back together, in the order of sending."""

    def __init__(self) -> None:
        self.ids: list[Ids] = []
        self.closed = False  # the next send belongs to another batch

    def joined(self) -> Ids:
        if len(self.ids) != 1:
            self.ids = [np.concatenate(self.ids) if self.ids else np.zeros(0, np.int32)]
        return self.ids[0]

    def without(self, ids: Ids) -> None:
        self.ids = [self.joined()[~np.isin(self.joined(), ids)]]


class InFlight:
    """The state of each environment, and the results of those in flight.

    Attributes:
        count: Environments that were sent and not yet received.
        least: The least number of rows in a batch.
        has_episode: Whether each environment has an episode that goes on, as far as the caller
            knows; with autoreset "next_step" and "same_step": whether it was ever reset.
        was_reset: Whether each environment was ever reset.
        idle: The environments received last, while nothing was sent since; else None.
    """

    def __init__(self, everybody: Ids, batch_size: int, mode: str, task_id: str) -> None:
        """No environment has an episode; `everybody` has the ids of all."""
        num_envs = len(everybody)
        self._all, self._num_envs, self._batch_size = everybody, num_envs, batch_size
        self._is_sync, self._task_id = batch_size == num_envs, task_id
        self._is_disabled = mode == "disabled"
        self.least = 1 if self._is_sync else batch_size
        self._flags = np.zeros(num_envs, np.bool_)  # in flight
        self._broken = np.zeros(num_envs, np.bool_)
        self._num_broken = 0
        self.idle: Ids | None = None
        self.has_episode = np.zeros(num_envs, np.bool_)
        self.was_reset = np.zeros(num_envs, np.bool_)
        self._num_begun = 0
        self._position = np.zeros(num_envs, np.intp)
        self._ready: deque[Rows] = deque()
        self._calls: deque[_Call] = deque()  # of a synchronous pool
        self._failures: list[tuple[int, str]] = []
        self._short = 0  # rows missing in an asynchronous batch because their environments failed
        self.count = 0

    # Refusals.

    def check_send(self, ids: Ids, is_step: bool, drops: bool = False) -> None:
        """Refuses environments that are named twice, are in flight (unless it `drops`) or failed.

        Raises:
            EnvIdError: If an environment is named twice or in flight.
            StateError: If an environment failed before, or has no episode to step in.
        """
        goes_on = not (is_step and self._is_disabled) or self._num_begun == self._num_envs
        are_idle = not self.count and (ids is self._all or len(ids) <= 1)
        if goes_on and not self._num_broken and (are_idle or ids is self.idle):  # mostly
            return
        order = np.arange(len(ids))
        # The last of equal ids writes its position: the position differs at the other ids.
        self._position[ids] = order
        wrong = self._position[ids] != order
        if not drops:
            wrong |= self._flags[ids]
        if is_step:
            wrong |= self._broken[ids]
            if self._is_disabled:
                wrong |= ~self.has_episode[ids]
        if wrong.any():
            self._refuse(ids, is_step, drops)

    def _refuse(self, ids: Ids, is_step: bool, drops: bool) -> None:
        """Raises the error for the first environment that cannot be sent."""
        call = refusals.STEP if is_step else refusals.RESET
        seen = set()
        for env_id in ids.tolist():
            if env_id in seen:
                raise refusals.twice(call, self._task_id, env_id)
            seen.add(env_id)
            if self._flags[env_id] and not drops:
                raise refusals.in_flight(call, self._task_id, env_id)
            if is_step and self._broken[env_id]:
                raise refusals.failed(call, self._task_id, env_id)
            if is_step and self._is_disabled and not self.has_episode[env_id]:
                raise refusals.no_episode(self._task_id, env_id)

    def check_idle(self, ids: Ids, call: str) -> None:
        """Refuses environments that are in flight or failed.

        Raises:
            StateError: If there is a failed one or one in flight.
        """
        for env_id in ids[(self._flags | self._broken)[ids]].tolist():
            if self._flags[env_id]:
                raise refusals.in_flight(f"{call} of", self._task_id, env_id, StateError)
            raise refusals.failed(f"{call} of", self._task_id, env_id)

    def check_nothing(self, call: str) -> None:
        """Refuses a call while results are in flight.

        Raises:
            StateError: If results are in flight.
        """
        if self.count:
            raise refusals.busy(call, self._task_id, self.count)

    def fills_batch(self, more: int = 0) -> bool:
        """Whether a batch, or a failure to report, can come after sending `more`."""
        return self.count + more >= self.least or bool(self._failures or self._short)

    def check_recv(self, more: int = 0) -> None:
        """Refuses to wait for a batch that cannot be filled.

        Raises:
            StateError: If the batch cannot be filled.
        """
        if not self.fills_batch(more):
            is_batch = not self._is_sync
            raise refusals.too_few(self._task_id, self.count + more, self.least, is_batch)

    # Calls that change the state of environments.

    def send(self, ids: Ids) -> None:
        """Marks environments as in flight."""
        if not len(ids):
            return
        self._flags[ids] = True
        self.idle = None
        if self._num_broken:
            self._broken[ids] = False
            self._num_broken = int(np.count_nonzero(self._broken))
        self.count += len(ids)
        if self._is_sync:
            if not self._calls or self._calls[-1].closed:
                self._calls.append(_Call())
            self._calls[-1].ids.append(ids)

    def begin(self, ids: Ids) -> None:
        """Marks environments as having an episode."""
        self.has_episode[ids] = self.was_reset[ids] = True
        self._num_begun = int(np.count_nonzero(self.has_episode))

    def end(self, ids: Ids) -> None:
        """Marks environments as having no episode."""
        self.has_episode[ids] = False
        self._num_begun = int(np.count_nonzero(self.has_episode))

    @property
    def all_begun(self) -> bool:
        """Whether all have an episode."""
        return self._num_begun == self._num_envs

    def add(self, rows: Rows) -> None:
        """Adds rows that have come."""
        if len(rows.ids):
            self._ready.append(rows)

    def fail(self, ids: Ids, text: str) -> None:
        """Marks environments as failed: no row of theirs will come."""
        self._failures += [(env_id, text) for env_id in ids.tolist()]
        self._discard(ids)
        self._broken[ids] = True
        self._num_broken = int(np.count_nonzero(self._broken))
        self.end(ids)

    def forget(self, ids: Ids) -> None:
        """Removes environments from flight: they are as before their first reset."""
        self._discard(ids)
        self.end(ids)
        self.was_reset[ids] = False

    def replace(self, ids: Ids) -> None:
        """Replaces the rows and unreported failures of environments that are reset now.

        All results in flight have come. The other rows kept here come back in another batch than
        the rows of the next send.
        """
        named = np.zeros(self._num_envs, np.bool_)
        named[ids] = True
        self._failures = [failure for failure in self._failures if not named[failure[0]]]
        for call in self._calls:
            call.closed = True
        self._discard(ids)

    def _discard(self, ids: Ids) -> None:
        kept = [rows.take(~np.isin(rows.ids, ids)) for rows in self._ready]
        self._ready = deque(rows for rows in kept if len(rows.ids))
        self._leave(ids)

    def _leave(self, ids: Ids) -> None:
        """Takes those of the environments that are in flight out of it, without a row."""
        ids = ids[self._flags[ids]]
        self._flags[ids] = False
        self.count -= len(ids)
        for call in self._calls:
            call.without(ids)
        self._calls = deque(call for call in self._calls if len(call.joined()))

    def restore(self, ids: Ids, was_reset: Any, goes_on: Any) -> None:
        """Marks environments that loaded states: whether each was reset, and has an episode."""
        self.was_reset[ids] = was_reset
        self.has_episode[ids] = np.asarray(was_reset) & np.asarray(goes_on)
        self._num_begun = int(np.count_nonzero(self.has_episode))

    def complete(self) -> None:
        """Begins another batch: results of the next send are not in the batch before it."""
        if self._calls:
            self._calls[-1].closed = True

    # Calls that receive results.

    def is_any_in_flight(self, ids: Ids) -> bool:
        """Whether any of these is in flight, or has a failure not yet reported."""
        failed = [env_id for env_id, _ in self._failures]
        return bool(self._flags[ids].any()) or bool(failed and np.isin(failed, ids).any())

    def waiting(self) -> Ids:
        """The environments in flight whose rows have not come."""
        waits = self._flags.copy()
        for rows in self._ready:
            waits[rows.ids] = False
        return np.flatnonzero(waits).astype(np.int32)

    @property
    def rows(self) -> list[Rows]:
        """The rows that have come; they stay here."""
        return list(self._ready)

    @property
    def here(self) -> int:
        """The number of rows that have come."""
        return sum(len(rows.ids) for rows in self._ready)

    @property
    def looked_at(self) -> int:
        """The number of rows that can be read without waiting."""
        return sum(len(rows.ids) for rows in self._ready if rows.is_ready())

    def has_come(self, newest: bool = False) -> bool:
        """Whether all rows of the next batch have come, or it has failed."""
        here = self.here
        if here == self.count:
            return True
        if not self._is_sync:
            return bool(self._failures) or here >= (self._short or self._batch_size)
        if len(self._calls) == 1:  # all that is in flight
            return False
        came = np.zeros(self._num_envs, np.bool_)
        for rows in self._ready:
            came[rows.ids] = True
        return not self._calls or bool(came[self._calls[-1 if newest else 0].joined()].all())

    def wanted(self) -> int:
        """The number of rows in the next batch."""
        if self._is_sync:
            return len(self._calls[0].joined()) if self._calls else 0
        return min(self._batch_size, self.count)

    def is_ready(self) -> bool:
        """Whether the next batch can be taken and read without waiting."""
        return self.has_come() and all(rows.is_ready() for rows in self._ready)

    def take(self, newest: bool = False) -> tuple[list[Rows], NDArray[np.intp] | None]:
        """The next batch: its rows, and their order if it is not that of the parts.

        Raises:
            WorkerError: If environments have failed; the rows of the others are kept.
        """
        if self._failures:
            failures, self._failures = self._failures, []
            here = self.here
            self._short = 0 if self._is_sync else min(self._batch_size - 1, here)
            self.complete()
            kept = here if self._is_sync else self._short
            raise refusals.failures(self._task_id, failures, kept)
        if not self._is_sync:
            parts = self._cut(self._short or self._batch_size)
            self._short = 0
            self._received([rows.ids for rows in parts])
            return parts, None
        call = self._calls[-1 if newest else 0]
        wanted = call.joined()
        if newest:
            self._calls.pop()
        else:
            self._calls.popleft()
        if len(self._ready) == 1 and self._ready[0].ids is wanted:  # mostly
            self._received([wanted])
            return [self._ready.popleft()], None
        return self.take_of(wanted, called=False)

    def take_of(self, ids: Ids, called: bool = True) -> tuple[list[Rows], NDArray[np.intp] | None]:
        """The rows of these environments, in this order; all rows have come.

        Raises:
            WorkerError: If some of them have failed.
        """
        position = np.full(self._num_envs, -1, np.intp)
        position[ids] = np.arange(len(ids))
        if called and (mine := [one for one in self._failures if position[one[0]] >= 0]):
            self._failures = [one for one in self._failures if position[one[0]] < 0]
            raise refusals.failures(self._task_id, mine, self.count)
        parts: list[Rows] = []
        kept: deque[Rows] = deque()
        if not called and not self._calls:  # mostly: all that is here
            parts, self._ready = [*self._ready], kept
        for rows in self._ready:
            wanted = position[rows.ids] >= 0
            if wanted.all():
                parts.append(rows)
            elif wanted.any():
                parts.append(rows.take(wanted))
                kept.append(rows.take(~wanted))
            else:
                kept.append(rows)
        self._ready = kept
        parts.sort(key=lambda rows: int(position[rows.ids[0]]))  # so that few have to be reordered
        found = [rows.ids for rows in parts]
        self._received(found)
        places = position[np.concatenate(found)]
        in_order = (places[1:] > places[:-1]).all()
        return parts, None if in_order else np.argsort(places)

    def _cut(self, missing: int) -> list[Rows]:
        parts = []
        while missing:
            rows = self._ready.popleft()
            if len(rows.ids) > missing:
                self._ready.appendleft(rows.take(slice(missing, None)))
                rows = rows.take(slice(missing))
            parts.append(rows)
            missing -= len(rows.ids)
        return parts

    def _received(self, parts: Sequence[Ids]) -> None:
        for ids in parts:
            self._flags[ids] = False
            self.count -= len(ids)
