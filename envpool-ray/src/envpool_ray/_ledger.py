# SPDX-License-Identifier: Apache-2.0
"""EnvLedger: how environments stand whose workers may be lost, and what can be taken back.

`InFlight` knows what is in flight, has come or has failed. A loss needs more: the episodes that the
caller sees running, those of them that are lost, and the last row of each environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import WorkerError
from envpool.pool_backend import Ids, InFlight, Rows
from numpy.typing import NDArray

from ._rows import WorkerRows
from ._settings import Settings


class EnvLedger(InFlight):
    """`InFlight` of a pool on Ray.

    Attributes:
        running: Whether the caller sees an episode that is not over, of each environment.
        lost: Whether such an episode was lost with its worker, and the caller does not know.
        taken: Rows or failures that the present call has taken and not yet returned.
    """

    def __init__(self, everybody: Ids, settings: Settings) -> None:
        """No environment has an episode; `everybody` are the ids of all."""
        super().__init__(everybody, settings.batch_size, settings.autoreset_mode, settings.task_id)
        self._settings = settings
        self.running = np.zeros(settings.num_envs, np.bool_)
        self.lost = np.zeros(settings.num_envs, np.bool_)
        self._last: dict[int, _Last] = {}  # of each worker
        self.taken: Taken | None = None

    # Losses.

    def lose(self, ids: Ids) -> None:
        """Their worker is lost: so are the episodes that the caller sees running."""
        self.lost[ids] = self.running[ids]

    def begin_again(self, ids: Ids) -> None:
        """They are reset: what was lost of them does not matter, or their next row says it."""
        self.lost[ids] = False

    def cut_off(self, ids: Ids, rows: Sequence[WorkerRows]) -> None:
        """The episodes of lost ones end with these rows."""
        self.lost[ids] = self.running[ids] = False
        for one in rows:
            self.add(one)

    def fail_each(self, failures: Sequence[tuple[int, str]]) -> None:
        """They have failed, each for a reason, and will have no result."""
        for text, some in groupby(failures, key=lambda failure: failure[1]):
            ids = np.asarray([env_id for env_id, _ in some], np.int32)
            self.running[ids] = False
            self.fail(ids, text)

    def refuse(self, ids: Ids) -> None:
        """They were sent, but nothing has happened to them, and no result will come."""
        self._leave(ids)

    def load(self, ids: Ids) -> None:
        """They have loaded states, whatever was with them before."""
        self.lost[ids] = False
        self.running[ids] = True
        self.restore(ids, True, True)

    def record(self, worker: int, rows: WorkerRows, whole: bool) -> None:
        """Records how episodes stand after rows of a worker, and keeps rows that may be needed.

        Args:
            worker: The number of the worker of these environments.
            rows: The rows: the caller's arrays, with what it writes into them.
            whole: Whether they are of all environments of the worker.
        """
        same_step = self._settings.autoreset_mode == "same_step"
        self.running[rows.ids] = True if same_step else ~rows.done()
        if self._settings.every:  # a lost worker has its checkpoint
            return
        if whole:  # mostly
            self._last[worker] = _Last(rows, {})
        else:
            last = self._last.setdefault(worker, _Last(rows, {}))
            last.since.update(dict.fromkeys(rows.ids.tolist(), rows))

    def last_row(self, worker: int, env_id: int) -> WorkerRows:
        """The row that the caller saw last of an environment."""
        whole, since = self._last[worker]
        last = since.get(env_id, whole)
        return last.take(np.flatnonzero(last.ids == env_id))

    # Calls that were interrupted.

    def take(self, newest: bool = False) -> tuple[list[Rows], NDArray[np.intp] | None]:
        """The next batch, see `InFlight`; it can be taken back."""
        short = self._short
        call = self._calls[-1 if newest else 0] if self._calls else None
        try:
            parts, order = super().take(newest)
        except WorkerError as error:
            self.taken = Taken([], None, error.failures, short)
            raise
        self.taken = Taken(parts, call, [], short)
        return parts, order

    def take_of(self, ids: Ids, called: bool = True) -> tuple[list[Rows], NDArray[np.intp] | None]:
        """The rows of these, see `InFlight`; they can be taken back."""
        try:
            parts, order = super().take_of(ids, called)
        except WorkerError as error:
            self.taken = Taken([], None, error.failures, self._short)
            raise
        self.taken = Taken(parts, None, [], self._short)
        return parts, order

    def take_back(self, taken: Taken) -> None:
        """Rows or failures that were taken have not reached the caller: they come again."""
        self._ready.extendleft(reversed(taken.parts))
        for rows in taken.parts:
            self._flags[rows.ids] = True
            self.count += len(rows.ids)
        if taken.call is not None:
            taken.call.closed = True
            self._calls.appendleft(taken.call)
        self._failures[:0] = taken.failures
        self._short = taken.short
        self.idle = None

    # The fast path, which does some calls elsewhere.

    def is_usual(self) -> bool:
        """Whether nothing has come, and no environment has to be treated in a way of its own."""
        is_empty = not (self._ready or self._failures or self._short)
        return is_empty and self.all_begun and not self._num_broken and not self.lost.any()

    def receive_all(self) -> None:
        """Nothing is in flight: all of it was received elsewhere, or is sent again."""
        self._flags[:] = False
        self.count = 0


class Taken(NamedTuple):
    """A batch or failures, and how the ledger was before they were taken."""

    parts: Sequence[Rows]
    call: Any
    failures: Sequence[tuple[int, str]]
    short: int


class _Last(NamedTuple):
    """The rows that the caller saw last of a worker's environments."""

    whole: WorkerRows
    since: dict[int, WorkerRows]
    """Rows that have come since, by environment."""
