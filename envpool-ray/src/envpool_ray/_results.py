# SPDX-License-Identifier: Apache-2.0
"""Results: what has come from actors, until the caller gets it in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from envpool.errors import StateError, WorkerError
from numpy.typing import NDArray

from ._actions import Ids
from ._batch import Batch, join
from ._envs import Envs
from ._settings import Settings


class Results:
    """Rows that are ready, and failures."""

    def __init__(self, settings: Settings, envs: Envs) -> None:
        """Nothing is expected."""
        self._settings, self._envs = settings, envs
        self._sync, self._batch_size = settings.sync, settings.batch_size
        self._least = 1 if self._sync else self._batch_size
        self._ready: deque[Batch] = deque()
        self._rows = 0  # of them
        self._order: list[Ids] = []  # of sending, which a synchronous pool keeps
        self._failures: list[tuple[int, str]] = []

    def expect(self, ids: Ids) -> None:
        """Environments were sent."""
        if self._sync:
            self._order.append(ids)

    def expect_no_more(self, ids: Ids) -> None:
        """They were not, after all."""
        self._order = [one[~np.isin(one, ids)] for one in self._order]

    def add(self, batch: Batch) -> None:
        """Rows have come."""
        self._ready.append(batch)
        self._rows += len(batch)

    def add_failures(self, failures: Sequence[tuple[int, str]]) -> None:
        """Environments have failed; for each the reason."""
        self._failures += failures

    def drop(self, gone: NDArray[np.bool_]) -> None:
        """Forgets what has come of some environments."""
        shape = self._settings.shape
        kept = [shape.take(b, np.flatnonzero(~gone[b.env_ids])) for b in self._ready]
        self._ready = deque(batch for batch in kept if len(batch))
        self._rows = sum(map(len, self._ready))
        self._order = [one[~gone[one]] for one in self._order]
        self._failures = [(i, text) for i, text in self._failures if not gone[i]]

    def clear(self) -> None:
        """Forgets all rows."""
        self._ready.clear()
        self._rows = 0

    @property
    def wanted(self) -> int:
        """Rows of the next batch."""
        on_the_way = self._envs.num_in_flight
        return on_the_way if self._sync or on_the_way < self._batch_size else self._batch_size

    def is_empty(self) -> bool:
        """Whether nothing has come that the caller did not get."""
        return not self._rows and not self._failures

    def is_full(self) -> bool:
        """Whether there is a batch, or a failure to tell of."""
        return self._rows >= self.wanted or (bool(self._failures) and not self._sync)

    def will_do(self, more: int = 0) -> bool:
        """Whether there can be a batch, or a failure, of what was sent and some more."""
        return self._envs.num_in_flight + more >= self._least or bool(self._failures)

    def check(self, more: int = 0) -> None:
        """Raises StateError if there cannot."""
        if not self.will_do(more):
            raise StateError(
                f"recv of {self._settings.task_id}",
                f"{self._envs.num_in_flight + more} results on the way",
                f"at least {self._least}, so that a batch can be filled",
                "Send actions to, or reset, more environments first",
            )

    def progress(self) -> str:
        """How many rows of a batch there are, for messages."""
        return f"{self._rows} of {max(self.wanted, self._least)} results"

    def take(self) -> Batch | WorkerError:
        """A batch of what is ready, or the failures."""
        return self._error() if self._failures else self._cut()

    def take_back(self, given: Batch | WorkerError) -> None:
        """What was taken has not reached the caller: it comes again."""
        if isinstance(given, WorkerError):
            self._failures[:0] = given.failures
        elif len(given):
            self._ready.appendleft(given)
            self._rows += len(given)
            if self._sync:
                self._order.insert(0, given.env_ids)

    def _cut(self) -> Batch:
        """A batch of what is ready: in the order of sending, or of arriving."""
        shape, missing = self._settings.shape, self._batch_size
        if self._sync:
            order = np.concatenate(self._order)
            self._order.clear()
            place = np.empty(self._settings.num_envs, np.intp)
            place[order] = np.arange(len(order))
            # Mostly the rows of an actor stand together: then this is all that there is to order.
            batch = join(sorted(self._ready, key=lambda part: place[part.env_ids[0]]))
            self.clear()
            if not np.array_equal(batch.env_ids, order):
                place[batch.env_ids] = np.arange(len(batch))
                order = order[np.isin(order, batch.env_ids)]  # without those that failed
                batch = shape.take(batch, place[order])
            return batch
        self._rows -= missing
        parts = []
        while missing:
            part = self._ready.popleft()
            if len(part) > missing:
                self._ready.appendleft(shape.take(part, slice(missing, len(part))))
                part = shape.take(part, slice(0, missing))
            parts.append(part)
            missing -= len(part)
        return join(parts)

    def _error(self) -> WorkerError:
        failures, self._failures = self._failures, []
        left = self._rows
        first_id, text = failures[0]
        more = "" if len(failures) == 1 else f" (and {len(failures) - 1} more)"
        return WorkerError(
            f"recv of {self._settings.task_id}: {text}",
            f"this exception in env {first_id}{more}",
            "none in Reset and Step",
            f"Reset that environment to go on with it; the results of the other {left} "
            "environments are kept for the next recv()",
            task_id=self._settings.task_id,
            env_id=first_id,
            failures=failures,
        )
