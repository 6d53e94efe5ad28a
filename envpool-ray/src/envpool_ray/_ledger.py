# SPDX-License-Identifier: Apache-2.0
"""EnvLedger: how each environment of a pool stands, and its results until the caller has them.

It alone knows which environments are in flight, running, lost or broken, which rows and failures
are ready, and which row the caller saw last of each environment. Nothing here knows of workers but
their numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from envpool.errors import EnvIdError, EnvPoolError, WorkerError
from envpool.pool_backend import Ids, refusals
from numpy.typing import NDArray

from ._batch import DONE, Batch, join
from ._settings import Settings


class EnvLedger:
    """Flags, each an array with an element for each environment; ready rows; failures; last rows.

    Attributes:
        in_flight: It was sent, and the caller has not received its result.
        num_in_flight: How many were.
        changes: How often environments were sent, or have failed.
        running: The caller sees an episode that is not over.
        lost: Such an episode was lost with its worker, and the caller does not know.
        broken: It failed.
        unstarted: There is nothing to save.
    """

    def __init__(self, settings: Settings) -> None:
        """No environment has started."""
        num_envs = settings.num_envs
        self._settings, self._task_id = settings, settings.task_id
        self._sync, self._batch_size = settings.sync, settings.batch_size
        self._least = 1 if self._sync else self._batch_size
        self._position = np.zeros(num_envs, np.intp)
        self.in_flight = np.zeros(num_envs, np.bool_)
        self.num_in_flight = self.changes = 0
        self.running = np.zeros(num_envs, np.bool_)
        self.lost = np.zeros(num_envs, np.bool_)
        self.broken = np.zeros(num_envs, np.bool_)
        self.unstarted = np.ones(num_envs, np.bool_)
        self._ready: deque[Batch] = deque()
        self._rows = 0  # of them
        # Environments of a synchronous pool whose rows come back together, in the order of sending.
        self._calls: list[list[Ids]] = []
        self._goes_on = False  # what is sent next comes back with the last of them
        self._failures: list[tuple[int, str]] = []
        self._last: dict[int, _Last] = {}  # of each worker

    # Calls that change the state of environments.

    def send(self, ids: Ids) -> None:
        """They are sent an action."""
        self._fly(ids)
        if self._sync:
            if not self._goes_on:
                self._calls.append([])
                self._goes_on = True
            self._calls[-1].append(ids)
        if np.count_nonzero(self.unstarted):
            self.unstarted[ids] = False

    def send_reset(self, ids: Ids) -> None:
        """They are sent a reset, which revives what has failed."""
        self.send(ids)
        self.broken[ids] = self.lost[ids] = False

    def complete(self) -> None:
        """Begins another batch: results of what is sent next are not in the one before."""
        self._goes_on = False

    def refuse(self, ids: Ids) -> None:
        """They were sent, but nothing has happened to them, and no result will come."""
        self.receive(ids)
        gone = np.zeros(self._settings.num_envs, np.bool_)
        gone[ids] = True
        self._forget_sent(gone)

    def receive(self, ids: Ids) -> None:
        """The caller has their results."""
        self.in_flight[ids] = False
        self.num_in_flight = int(np.count_nonzero(self.in_flight))

    def fail(self, failures: Sequence[tuple[int, str]]) -> None:
        """They have failed, each for a reason, and will have no result."""
        ids = np.asarray([env_id for env_id, _ in failures], np.int32)
        self.changes += 1
        self.receive(ids)
        self.running[ids] = False
        self.broken[ids] = True
        self._failures += failures

    def lose(self, ids: Ids) -> None:
        """Their worker is lost: so are the episodes that the caller sees running."""
        self.lost[ids] = self.running[ids]

    def begin_again(self, ids: Ids) -> None:
        """Lost ones are reset: their next row will say that the episode was cut off."""
        self.lost[ids] = False

    def cut_off(self, ids: Ids, rows: Sequence[Batch]) -> None:
        """The episodes of lost ones end with these rows."""
        self.lost[ids] = self.running[ids] = False
        for batch in rows:
            self.add(batch)

    def restore(self, ids: Ids) -> None:
        """They have loaded states, whatever was with them before."""
        self.lost[ids] = self.broken[ids] = self.unstarted[ids] = False
        self.running[ids] = True

    # Rows.

    def add(self, batch: Batch) -> None:
        """Rows have come."""
        self._ready.append(batch)
        self._rows += len(batch)

    def record(self, worker: int, batch: Batch, whole: bool) -> None:
        """Records how episodes stand after rows of a worker, and keeps rows that may be needed.

        Args:
            worker: The number of the worker of these environments.
            batch: The rows: the caller's arrays, with what it writes into them.
            whole: Whether it has all environments of the worker.
        """
        ids = batch.env_ids
        if self._settings.autoreset_mode == "same_step":
            self.running[ids] = True
        else:
            self.running[ids] = ~batch.array(DONE)
        if self._settings.every:  # a lost worker has its checkpoint
            return
        if whole:  # mostly
            self._last[worker] = _Last(batch, {})
        else:
            last = self._last.setdefault(worker, _Last(batch, {}))
            last.since.update(dict.fromkeys(ids.tolist(), batch))

    def last_row(self, worker: int, env_id: int) -> Batch:
        """What the caller saw last of an environment, as a batch of its own."""
        whole, since = self._last[worker]
        last = since.get(env_id, whole)
        row = np.flatnonzero(last.env_ids == env_id)
        return self._settings.shape.take(last, row)

    def drop(self, ids: Ids) -> None:
        """Forgets what has come of some environments, or will not be asked for."""
        gone = np.zeros(self._settings.num_envs, np.bool_)
        gone[ids] = True
        shape = self._settings.shape
        kept = [shape.take(b, np.flatnonzero(~gone[b.env_ids])) for b in self._ready]
        self._ready = deque(batch for batch in kept if len(batch))
        self._rows = sum(map(len, self._ready))
        self._forget_sent(gone)
        self.complete()
        self._failures = [(i, text) for i, text in self._failures if not gone[i]]
        self.receive(ids)

    def clear(self) -> None:
        """Forgets all rows."""
        self._last.clear()
        self._clear_ready()

    def _forget_sent(self, gone: NDArray[np.bool_]) -> None:
        calls = [[one[~gone[one]] for one in call] for call in self._calls]
        self._calls = [call for call in calls if any(map(len, call))]
        self._goes_on = self._goes_on and bool(self._calls)

    def take(self, newest: bool = False) -> Batch | WorkerError:
        """A batch of what is ready, which the caller receives, or the failures.

        Args:
            newest: Of a synchronous pool: what was sent last, and not what was sent first.
        """
        if self._failures:
            self.complete()
            return self._error(self._failures)
        batch = self._of_call(newest) if self._sync else self._cut()
        self.receive(batch.env_ids)
        return batch

    def take_of(self, ids: Ids) -> Batch | WorkerError:
        """The rows of these environments in this order, or their failures; all have come."""
        named = np.zeros(self._settings.num_envs, np.bool_)
        named[ids] = True
        if failures := [failure for failure in self._failures if named[failure[0]]]:
            return self._error(failures)
        batch = self._picked(ids)
        self.receive(batch.env_ids)
        return batch

    def take_back(self, given: Batch | WorkerError) -> None:
        """What was taken has not reached the caller: it comes again."""
        if isinstance(given, WorkerError):
            self._failures[:0] = given.failures
            return
        if len(given):
            self._ready.appendleft(given)
            self._rows += len(given)
            if self._sync:
                self._goes_on = self._goes_on and bool(self._calls)
                self._calls.insert(0, [given.env_ids])
        self._fly(given.env_ids)

    # What may be asked.

    @property
    def wanted(self) -> int:
        """Rows of the next batch."""
        in_flight = self.num_in_flight
        return in_flight if self._sync or in_flight < self._batch_size else self._batch_size

    def is_empty(self) -> bool:
        """Whether nothing has come that the caller did not get."""
        return not self._rows and not self._failures

    def is_full(self, newest: bool = False) -> bool:
        """Whether there is a batch, or a failure to tell of; `newest` as for `take`."""
        if self._rows >= self.wanted or (bool(self._failures) and not self._sync):
            return True
        if len(self._calls) < 2:
            return False
        here = np.zeros(self._settings.num_envs, np.bool_)
        for batch in self._ready:
            here[batch.env_ids] = True
        return bool(here[self._sent(newest)].all())

    def has_all(self) -> bool:
        """Whether all that is in flight has come."""
        return self._rows >= self.num_in_flight

    def will_do(self, more: int = 0) -> bool:
        """Whether there can be a batch, or a failure, of what was sent and some more."""
        return self.num_in_flight + more >= self._least or bool(self._failures)

    def is_any_out_of_play(self) -> bool:
        """Whether there is an environment that cannot be stepped as the others."""
        return bool((self.lost | self.broken | self.unstarted).any())

    def progress(self) -> tuple[int, int, bool]:
        """Rows of a batch that there are, rows that it needs, and whether so many were sent."""
        if not self.will_do():
            return self.num_in_flight, self._least, False
        return self._rows, self.wanted, True

    def check_receive(self, more: int = 0) -> None:
        """Raises StateError if there cannot be a batch."""
        if not self.will_do(more):
            count = self.num_in_flight + more
            raise refusals.too_few(self._task_id, count, self._least, not self._sync)

    def check(
        self,
        ids: Ids,
        call: str,
        wrong: NDArray[np.bool_],
        busy: type[EnvPoolError] = EnvIdError,
        once: bool = True,
    ) -> None:
        """Refuses a call for environments that cannot be part of it.

        Args:
            ids: The environments.
            call: The call, for messages.
            wrong: Which cannot.
            busy: What is raised where one is in flight.
            once: Whether each may be named only once.
        """
        if once:
            order = np.arange(len(ids))
            self._position[ids] = order
            twice = self._position[ids] != order
            if np.count_nonzero(twice):
                raise refusals.twice(call, self._task_id, int(ids[twice].min()))
        if not np.count_nonzero(wrong[ids]):
            return
        first = int(ids[wrong[ids]][0])
        if self.in_flight[first]:
            raise refusals.in_flight(call, self._task_id, first, busy)
        raise refusals.failed(call, self._task_id, first)

    def check_episodes(self, ids: Ids) -> None:
        """Refuses a step where no episode goes on, as far as the caller knows."""
        goes_on = (self.running | self.lost)[ids]
        if not goes_on.all():
            raise refusals.no_episode(self._task_id, int(ids[~goes_on][0]))

    def _fly(self, ids: Ids) -> None:
        self.changes += 1
        self.in_flight[ids] = True
        self.num_in_flight = int(np.count_nonzero(self.in_flight))

    def _clear_ready(self) -> None:
        self._ready.clear()
        self._rows = 0

    def _sent(self, newest: bool) -> Ids:
        """Environments whose rows come back together, without those that failed."""
        ids = np.concatenate(self._calls[-1 if newest else 0])
        return ids[self.in_flight[ids]]

    def _of_call(self, newest: bool) -> Batch:
        """What was sent together, in the order of sending."""
        order = self._sent(newest)
        self._calls.pop(-1 if newest else 0)
        if newest or not self._calls:
            self._goes_on = False
        if self._calls:
            return self._picked(order)
        position = np.empty(self._settings.num_envs, np.intp)
        position[order] = np.arange(len(order))
        # Mostly the rows of a worker stand together: then this is all that there is to order.
        batch = join(sorted(self._ready, key=lambda part: position[part.env_ids[0]]))
        self._clear_ready()
        if not np.array_equal(batch.env_ids, order):
            position[batch.env_ids] = np.arange(len(batch))
            batch = self._settings.shape.take(batch, position[order])
        return batch

    def _picked(self, ids: Ids) -> Batch:
        """The rows of these, in this order; those of others stay."""
        shape = self._settings.shape
        position = np.full(self._settings.num_envs, -1, np.intp)
        position[ids] = np.arange(len(ids))
        parts: list[Batch] = []
        kept: deque[Batch] = deque()
        for batch in self._ready:
            wanted = position[batch.env_ids] >= 0
            for rows, add in ((wanted, parts.append), (~wanted, kept.append)):
                if rows.any():
                    add(batch if rows.all() else shape.take(batch, np.flatnonzero(rows)))
        self._ready = kept
        self._rows -= len(ids)
        found = join(parts)
        return shape.take(found, np.argsort(position[found.env_ids]))

    def _cut(self) -> Batch:
        """As many rows as a batch has, in the order of arriving."""
        shape, missing = self._settings.shape, self._batch_size
        self._rows -= missing
        parts: list[Batch] = []
        while missing:
            part = self._ready.popleft()
            if len(part) > missing:
                self._ready.appendleft(shape.take(part, slice(missing, len(part))))
                part = shape.take(part, slice(0, missing))
            parts.append(part)
            missing -= len(part)
        return join(parts)

    def _error(self, failures: list[tuple[int, str]]) -> WorkerError:
        self._failures = [failure for failure in self._failures if failure not in failures]
        return refusals.failures(self._task_id, failures, self._rows)


class _Last(NamedTuple):
    """The rows that the caller saw last of a worker's environments."""

    whole: Batch
    since: dict[int, Batch]
    """What has come since, by environment."""
