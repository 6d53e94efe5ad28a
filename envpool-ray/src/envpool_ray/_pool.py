# SPDX-License-Identifier: Apache-2.0
"""RayPool: the pool that stands where others have a compiled one.

`send` gives every actor one message with its rows of the action; `recv` takes answers of whichever
actors have one. An actor takes its messages in order, so environments see the same actions in the
same order as in one process.

    send -> Arguments -> _post -> Crew.send ~~~> Slice.work
    recv <- show <- _cut <- _ready <- _take <~~~

What is lost with an actor is dealt with in `_replace`.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import (
    ConfigError,
    EnvIdError,
    EnvPoolError,
    RecvTimeoutError,
    SavedStateError,
    StateError,
    WorkerError,
)
from envpool.progress import Progress
from numpy.typing import NDArray

from . import _cluster
from ._actions import Arguments, Ids
from ._actor import RESET, STEP, Answer
from ._batch import DONE, ENV_ID, Batch, Plan, Shape, copied, join, show
from ._crew import Crew, Member, Message
from ._env import RESTARTED
from ._metrics import Metrics
from ._signals import interruptible, uninterrupted
from ._tasks import Recipe

if TYPE_CHECKING:
    from ._env import RayEnv

MAX_LOSSES = 3
"""Actors of a slice that may be lost without an answer between, until that is an error."""
_TICK = 0.5  # seconds between two looks at deadlines
_SOON = 5.0  # seconds for which Ctrl-C waits for actors that load states
_NAP = 0.005  # seconds between two looks at what another thread sends
_FINAL = f"final {RESTARTED}"


class RayPool:
    """A `CompiledPool` (see `envpool.typing`) whose environments are in actors of Ray."""

    def __init__(
        self,
        env: RayEnv,
        recipe: Recipe,
        config: Mapping[str, Any],
        task_id: str,
        autoreset_mode: str,
    ) -> None:
        """Keeps all of it. The actors start with the first call of `set_result_layouts`."""
        self._recipe, self._config, self._task_id = recipe, config, task_id
        self._mode = autoreset_mode
        self._num_envs = int(config["num_envs"])
        self._batch_size = int(config["batch_size"])
        self._sync = self._batch_size == self._num_envs
        self._max_players = int(config["max_num_players"])
        own = recipe.options
        self._every: int = own["checkpoint_every"]
        self._deadline: float = own["actor_timeout"] or float("inf")
        self._patience: float = own["start_timeout"]
        self._copies: bool = own["writable"]
        _, state, actions = env.describe(dict(config))
        self._actions = actions
        per_player = frozenset(array[0] for array in state if array[2][:1] == (-1,))
        several = self._max_players > 1
        obs_per_player = any(name.split(":")[0] == "obs" for name in per_player)
        self._shape = Shape(per_player if several else frozenset(), several and obs_per_player)
        self._row_bytes = sum(
            array[1].itemsize * int(np.prod([abs(n) for n in array[2]], dtype=np.int64))
            for array in state
        )
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._plan: Plan | None = None
        self._crew: Crew | None = None
        self._ray: Any = None
        self._metrics: Metrics | None = None
        self._finalizer: Any = None
        self._given: Batch | WorkerError | None = None

    # What a pool is asked.

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._crew is None

    @property
    def num_threads(self) -> int:
        """Threads of all actors together."""
        return 0 if self._crew is None else sum(m.threads for m in self._crew.members)

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        return 0 if self._crew is None else int(self._in_flight.sum())

    @property
    def restarts(self) -> list[int]:
        """How often each actor was replaced."""
        return [] if self._crew is None else [m.restarts for m in self._crew.members]

    def set_result_layouts(self, step: object, reset: object, /) -> None:
        """Says how results are built, and starts the actors, which have to know."""
        own = (RESTARTED, _FINAL)
        plan = Plan.of(step, reset, own, self._max_players > 1)
        with self._lock, uninterrupted():
            if self._plan is not None and self._crew is not None:
                if self._in_flight.any():
                    raise StateError(
                        f"set_result_layouts of {self._task_id}",
                        "results on the way",
                        "a pool that has none",
                        "Call recv() first",
                    )
                self.close()
            self._plan = plan
            self._open()

    # Opening and closing.

    def _open(self) -> None:
        own = self._recipe.options
        asked = f"make({self._task_id!r}"
        wanted: float = own["num_actors"] * (own["cpus_per_actor"] or self._config["num_threads"])
        self._ray = _cluster.enter(asked, own["address"], wanted, self._patience)
        try:
            crew = self._new_crew()
        except BaseException:
            _cluster.leave(self._ray)
            raise
        try:
            crew.check_store(self._row_bytes, self._num_envs)
            self._start_all(crew)
        except BaseException:
            crew.forget()
            _cluster.leave(self._ray)
            raise
        n = self._num_envs
        self._arguments = Arguments(self._actions, n, self._max_players, self._task_id)
        self._in_flight = np.zeros(n, np.bool_)
        self._broken = np.zeros(n, np.bool_)
        self._running = np.zeros(n, np.bool_)  # the caller sees an episode that is not over
        self._lost = np.zeros(n, np.bool_)  # such an episode was lost, the caller does not know
        self._unstarted = np.ones(n, np.bool_)  # there is nothing to save
        self._last: list[Batch | None] = [None] * n  # what the caller saw last
        self._last_ids: Ids | None = None
        self._order: list[Ids] = []
        self._dropped = np.zeros(n, np.bool_)
        self._ready: deque[Batch] = deque()
        self._failures: list[tuple[int, str]] = []
        self._metrics = Metrics(self._task_id)
        self._crew = crew
        self._finalizer = weakref.finalize(self, _forget, crew, self._ray, self._owner)

    def _new_crew(self) -> Crew:
        own = self._recipe.options
        nodes = sum(1 for node in self._ray.nodes() if node["Alive"])
        count = min(own["num_actors"] or max(1, nodes), self._num_envs)
        everybody = np.arange(self._num_envs, dtype=np.int32)
        slices = np.array_split(everybody, count)
        self._member_of = np.repeat(np.arange(count), [len(part) for part in slices])
        return Crew(self._ray, self._recipe, self._config, self._task_id, self._mode, slices)

    def _start_all(self, crew: Crew) -> None:
        for member in crew.members:
            crew.start(member, self._layout)
        until = time.monotonic() + self._patience
        waiting = {member.opening: member for member in crew.members}
        with Progress(f"Actors of {self._task_id}", len(crew.members)) as progress:
            while waiting:
                with interruptible():
                    done, _ = self._ray.wait(list(waiting), num_returns=1, timeout=0.2)
                for ref in done:
                    self._opened(crew, waiting.pop(ref))
                progress.show(len(crew.members) - len(waiting))
                if not done and time.monotonic() > until:
                    raise crew.too_late(f"make({self._task_id!r})", len(waiting))

    def _opened(self, crew: Crew, member: Member) -> None:
        try:
            crew.opened(member)
        except self._ray.exceptions.RayError as cause:
            raise StateError(
                f"make({self._task_id!r})",
                f"actor {member.index} that could not start: {_first_line(cause)}",
                "actors that start",
                "Look into the logs of Ray; is EnvPool installed on every node?",
            ) from cause

    @property
    def _layout(self) -> Any:
        assert self._plan is not None
        return self._plan.actors_layout

    def close(self) -> None:
        """Ends the actors, and the cluster if the pool has started it and nobody else needs it."""
        with self._lock, uninterrupted():
            crew, self._crew = self._crew, None
            if crew is None or os.getpid() != self._owner:
                return
            self._finalizer.detach()
            self._last, self._ready = [], deque()
            try:
                crew.close()
            finally:
                _cluster.leave(self._ray)

    # Sending.

    def send(self, action: Any, env_id: Any = None, /) -> None:
        """Gives the actors of some environments one message each."""
        with self._used("step or send"):
            self._send(action, env_id)

    def step(self, action: Any, env_id: Any = None, /) -> Any:
        """Is `send` and `recv` in one."""
        with self._used("step or send"):
            self._send(action, env_id, then_recv=True)
            return self._receive(reset=False)

    def _send(self, action: Any, env_id: Any, then_recv: bool = False) -> None:
        ids = self._arguments.ids_of_action(action, env_id, None if self._sync else self._last_ids)
        self._check_ids(ids, "step or send to", self._in_flight | self._broken)
        if self._mode == "disabled" and not (self._running | self._lost)[ids].all():
            wrong = ids[~(self._running | self._lost)[ids]][0]
            raise StateError(
                f"step or send to {self._task_id}",
                f"env {wrong}, whose episode is over or has not begun",
                "running episodes, since autoreset_mode is 'disabled'",
                "Reset it first",
            )
        if then_recv:
            self._check_recv(len(ids))
        rows = self._arguments.rows(action, ids)
        self._launch(STEP, ids, rows)

    def reset(self, env_id: object = None, seed: object = None, /) -> Any:
        """Is `async_reset` and `recv(True)` in one."""
        with self._used("reset", opens=True):
            self._send_reset(env_id, seed, then_recv=True)
            return self._receive(reset=True)

    def async_reset(self, env_id: object = None, seed: object = None, /) -> None:
        """Starts episodes and returns."""
        with self._used("reset", opens=True):
            self._send_reset(env_id, seed)

    def _send_reset(self, env_id: object, seed: object, then_recv: bool = False) -> None:
        ids = self._arguments.ids(env_id, "reset(env_id=...)")
        seeds = self._arguments.seeds(seed, ids)
        # What is in flight is replaced by the reset; of an asynchronous pool, all or nothing.
        drops = self._sync or env_id is None
        busy = self._in_flight if not drops else np.zeros(self._num_envs, np.bool_)
        self._check_ids(ids, "reset of", busy)
        if drops and self._in_flight[ids].any():
            self._drop(ids)
        if then_recv:
            self._check_recv(len(ids))
        self._launch(RESET, ids, seeds)

    def _drop(self, ids: Ids) -> None:
        """Waits for what is in flight, and forgets the results of some environments."""
        self._gather(lambda: not self._pending(), None)
        gone = np.zeros(self._num_envs, np.bool_)
        gone[ids] = True
        kept = [self._shape.take(b, np.flatnonzero(~gone[b.env_ids])) for b in self._ready]
        self._ready = deque(batch for batch in kept if len(batch))
        self._order = [one[~gone[one]] for one in self._order]
        self._failures = [(i, text) for i, text in self._failures if not gone[i]]
        self._in_flight[gone] = False

    def _launch(self, kind: str, ids: Ids, what: Any) -> None:
        """Sends rows that were checked to the actors of their environments."""
        if not len(ids):
            return
        assert self._crew is not None
        self._in_flight[ids] = True
        self._order.append(ids)
        if kind == RESET:
            self._broken[ids] = self._lost[ids] = False
        owners = self._member_of[ids]
        for index in np.unique(owners):
            member = self._crew.members[index]
            rows = np.flatnonzero(owners == index)
            self._post(member, kind, ids[rows], self._part(kind, what, rows, ids[rows]))
        self._unstarted[ids] = False

    def _part(self, kind: str, what: Any, rows: NDArray[np.intp], ids: Ids) -> Any:
        if kind == RESET:
            return None if what is None else [what[row] for row in rows]
        return what.take(rows, ids, self._arguments.per_player)

    def _post(self, member: Member, kind: str, ids: Ids, what: Any) -> None:
        """Sends one actor its message; rows of lost episodes are made here."""
        if kind == STEP and self._lost[ids].any():
            gone, rows = ids[self._lost[ids]], np.flatnonzero(~self._lost[ids])
            self._lost[gone] = False
            if self._mode == "same_step":
                self._put(member, Message(RESET, gone, None, turned=True))
            else:
                self._running[gone] = False
                self._ready.extend(self._cut_off(int(one)) for one in gone)
            ids, what = ids[rows], self._part(kind, what, rows, ids[rows])
        if len(ids):
            self._put(member, Message(kind, ids, what))

    def _put(self, member: Member, message: Message) -> None:
        assert self._crew is not None
        member.pending.append(message)
        if self._every:
            member.unsaved += 1
            if member.unsaved >= self._every:
                message.save, member.unsaved = True, 0
            member.log.append(message)
        if member.handle is None:  # it was given up, and may have better luck now
            member.losses = 0
            self._restart(member)
            return
        try:
            self._crew.send(member, message)
        except self._ray.exceptions.RayError as cause:
            self._replace(member, cause)

    # Receiving.

    def recv(self, reset: bool = False, timeout: float | None = None, /) -> Any:
        """Waits for a batch."""
        if timeout is None:
            with self._used("recv"):
                return self._receive(reset)
        if not timeout >= 0:
            raise ConfigError(
                f"recv(timeout=...) of {self._task_id}",
                str(timeout),
                "seconds from 0, or None to wait for as long as it takes",
                "Correct the timeout",
            )
        until = time.monotonic() + timeout
        while True:
            with self._used("recv"):
                if self._may_recv(0) or time.monotonic() >= until:
                    return self._receive(reset, until)
            time.sleep(min(_NAP, timeout))  # another thread may send what is missing

    def _least(self) -> int:
        return 1 if self._sync else self._batch_size

    def _may_recv(self, more: int) -> bool:
        return int(self._in_flight.sum()) + more >= self._least() or bool(self._failures)

    def _check_recv(self, more: int) -> None:
        if not self._may_recv(more):
            raise StateError(
                f"recv of {self._task_id}",
                f"{int(self._in_flight.sum()) + more} results on the way",
                f"at least {self._least()}, so that a batch can be filled",
                "Send actions to, or reset, more environments first",
            )

    def _receive(self, reset: bool, until: float | None = None) -> Any:
        assert self._plan is not None
        if until is None:
            self._check_recv(0)
        if self._may_recv(0):
            self._gather(self._is_full, until)
        if until is not None and not (self._may_recv(0) and self._is_full()):
            raise RecvTimeoutError(
                f"recv(timeout=...) of {self._task_id}",
                f"{sum(map(len, self._ready))} of {max(self._wanted(), self._least())} results "
                "before the time was over",
                "any timeout, or None to wait for as long as it takes",
                "Call recv() again: nothing was lost",
            )
        if self._failures:
            self._given = error = self._worker_error()
            raise error
        batch = self._given = self._cut()
        self._in_flight[batch.env_ids] = False
        self._last_ids = batch.env_ids
        self._arguments.remember(batch.env_ids, batch.players)
        if self._metrics is not None and self._crew is not None:
            self._metrics.tell(self._crew.members)
        result = copied(batch) if self._copies else batch
        return show(self._plan.reset if reset else self._plan.step, result)

    def _wanted(self) -> int:
        on_the_way = int(self._in_flight.sum())
        return on_the_way if self._sync else min(self._batch_size, on_the_way)

    def _is_full(self) -> bool:
        early = bool(self._failures) and not self._sync
        return early or sum(map(len, self._ready)) >= self._wanted()

    def _cut(self) -> Batch:
        """A batch of what is ready: in the order of sending, or of arriving."""
        if self._sync:
            batch = join([*self._ready])
            self._ready.clear()
            order = np.concatenate(self._order)
            self._order.clear()
            if not np.array_equal(batch.env_ids, order):
                place = np.empty(self._num_envs, np.intp)
                place[batch.env_ids] = np.arange(len(batch))
                order = order[np.isin(order, batch.env_ids)]  # without those that failed
                batch = self._shape.take(batch, place[order])
            return batch
        self._order.clear()
        parts, missing = [], self._batch_size
        while missing:
            part = self._ready.popleft()
            if len(part) > missing:
                self._ready.appendleft(self._shape.take(part, slice(missing, len(part))))
                part = self._shape.take(part, slice(0, missing))
            parts.append(part)
            missing -= len(part)
        return join(parts)

    def _take_back(self) -> None:
        """A call that had all it wanted was interrupted: what it would have given comes again."""
        given = self._given
        if isinstance(given, WorkerError):
            self._failures[:0] = given.failures
        elif given is not None and len(given):
            self._ready.appendleft(given)
            self._order.insert(0, given.env_ids)
            self._in_flight[given.env_ids] = True

    def _worker_error(self) -> WorkerError:
        failures, self._failures = self._failures, []
        left = sum(map(len, self._ready))
        first_id, text = failures[0]
        more = "" if len(failures) == 1 else f" (and {len(failures) - 1} more)"
        return WorkerError(
            f"recv of {self._task_id}: {text}",
            f"this exception in env {first_id}{more}",
            "none in Reset and Step",
            f"Reset that environment to go on with it; the results of the other {left} "
            "environments are kept for the next recv()",
            task_id=self._task_id,
            env_id=first_id,
            failures=failures,
        )

    # Waiting for actors.

    def _pending(self) -> bool:
        assert self._crew is not None
        return any(member.pending for member in self._crew.members)

    def _gather(self, enough: Callable[[], bool], until: float | None) -> None:
        """Takes answers until there are enough, or the time is over."""
        assert self._crew is not None
        while not enough():
            refs = [message.ref for m in self._crew.members for message in m.pending]
            opening = [m.opening for m in self._crew.members if m.opening is not None]
            left = _TICK if until is None else min(_TICK, until - time.monotonic())
            if left < 0 and not refs:
                return
            waiting = [*opening, *refs]
            if not waiting:
                return
            count = len(refs) if self._sync and not opening else self._least_messages()
            least = max(1, min(count, len(waiting)))
            with interruptible():
                done, _ = self._ray.wait(waiting, num_returns=least, timeout=max(0.0, left))
            if done:
                self._take(set(done))
            self._look_at_deadlines()
            if not done and until is not None and time.monotonic() >= until:
                return

    def _least_messages(self) -> int:
        """How many answers a batch needs at least."""
        assert self._crew is not None
        missing = self._wanted() - sum(map(len, self._ready))
        sizes = sorted((len(m.ids) for o in self._crew.members for m in o.pending), reverse=True)
        count = 0
        while missing > 0 and count < len(sizes):
            missing -= sizes[count]
            count += 1
        return max(1, count)

    def _take(self, done: set[Any]) -> None:
        assert self._crew is not None
        for member in self._crew.members:
            if member.opening in done:
                self._take_opening(member)
            pending = [*member.pending]
            answered = [at for at, message in enumerate(pending) if message.ref in done]
            # An actor answers in order; what Ray reports need not be in order.
            for message in pending[: answered[-1] + 1] if answered else ():
                if not self._take_answer(member, message):
                    break

    def _take_opening(self, member: Member) -> None:
        assert self._crew is not None
        try:
            self._crew.opened(member)
        except (self._ray.exceptions.RayError, EnvPoolError) as cause:
            self._replace(member, cause)

    def _take_answer(self, member: Member, message: Message) -> bool:
        """Takes the answer to the first message of an actor; False if it was lost."""
        try:
            answer: Answer = self._ray.get(message.ref)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, EnvPoolError) and not isinstance(cause, WorkerError):
                self._refused(member, message, cause)
                return True
            self._replace(member, error)
            return False
        except self._ray.exceptions.RayError as error:
            self._replace(member, error)
            return False
        member.pending.popleft()
        member.since, member.losses = time.monotonic(), 0
        member.steps += len(message.ids)
        member.seconds += answer.seconds
        message.answered, message.ref = True, None
        if answer.states is not None:
            member.states |= answer.states
            member.log = member.log[member.log.index(message) + 1 :]
        if answer.failures:
            failed = np.asarray([env_id for env_id, _ in answer.failures])
            self._in_flight[failed] = self._running[failed] = False
            self._broken[failed] = True
            self._failures += answer.failures
        if len(answer.arrays):
            if len(member.seen) < len(member.ids):
                member.seen.update(message.ids.tolist())
            self._accept(message, self._batch_of(answer))
        return True

    def _refused(self, member: Member, message: Message, cause: EnvPoolError) -> None:
        """An actor refused what was checked here: nothing has happened to the environments."""
        member.pending.popleft()
        if self._every:
            member.log.remove(message)
        self._in_flight[message.ids] = False
        self._order = [one[~np.isin(one, message.ids)] for one in self._order]
        raise cause

    def _batch_of(self, answer: Answer) -> Batch:
        assert self._plan is not None
        arrays = dict(zip(self._plan.names, answer.arrays, strict=True))
        count = len(arrays[ENV_ID])
        arrays[RESTARTED] = np.zeros(count, np.bool_)
        arrays[_FINAL] = np.zeros(count, np.bool_)
        return Batch(answer.obs, arrays, answer.info)

    def _accept(self, message: Message, batch: Batch) -> None:
        ids = batch.env_ids
        if message.turned:
            batch = self._turned(batch)
        if self._mode == "same_step":
            self._running[ids] = True
        else:
            self._running[ids] = ~batch.arrays[DONE]
        if not self._every:
            for env_id in ids.tolist():
                self._last[env_id] = batch
        self._ready.append(batch)

    def _look_at_deadlines(self) -> None:
        """Replaces actors that hang, and gives up those that do not start."""
        assert self._crew is not None
        now = time.monotonic()
        for member in self._crew.members:
            if member.opening is not None:
                if now - member.since > self._patience:
                    asked = f"restart of actor {member.index} of {self._task_id}"
                    self._give_up(member, self._crew.too_late(asked, 1))
            elif member.pending and member.handle is not None:
                began = max(member.since, member.pending[0].sent)
                if now - began > self._deadline:
                    self._replace(member, TimeoutError(f"no answer in {self._deadline:g} s"))

    # When an actor is lost.

    def _replace(self, member: Member, cause: BaseException) -> None:
        """Starts another actor for a slice, and brings its environments back as far as possible."""
        assert self._crew is not None
        member.losses += 1
        if member.losses > MAX_LOSSES or isinstance(cause, EnvPoolError):
            self._give_up(member, cause)
            return
        self._restart(member)

    def _restart(self, member: Member) -> None:
        assert self._crew is not None
        self._crew.end(member)
        member.restarts += 1
        self._crew.start(member, self._layout)
        if self._every:
            self._replay(member)
            return
        ids = member.ids
        self._lost[ids] = self._running[ids]
        again, member.pending = member.pending, deque()
        for message in again:
            if message.kind == RESET:
                self._lost[message.ids] = False
                self._put(member, Message(RESET, message.ids, message.what, message.turned))
            else:
                self._post(member, STEP, message.ids, message.what)

    def _replay(self, member: Member) -> None:
        """Brings back the last checkpoint, and plays the messages since."""
        assert self._crew is not None
        if member.states:
            ids = np.asarray(sorted(member.states), np.int32)
            states = [member.states[env_id] for env_id in ids.tolist()]
            member.handle.load_state.remote(states, ids - np.int32(member.first))
        for message in member.log:
            self._crew.send(member, message, quiet=message.answered)

    def _give_up(self, member: Member, cause: BaseException) -> None:
        """Environments of an actor that cannot be replaced have failed."""
        assert self._crew is not None
        self._crew.end(member)
        text = f"actor {member.index} was lost and cannot be replaced: {_first_line(cause)}"
        for message in member.pending:
            ids = message.ids
            self._in_flight[ids] = self._running[ids] = False
            self._broken[ids] = True
            self._failures += [(env_id, text) for env_id in ids.tolist()]
        member.pending.clear()
        member.log.clear()
        ids = member.ids
        self._lost[ids] = self._running[ids]

    def _cut_off(self, env_id: int) -> Batch:
        """The row of an episode that was lost: what was seen last, truncated."""
        batch = self._seen(env_id)
        arrays = batch.arrays
        for name, value in (
            ("reward", 0),
            ("terminated", False),
            ("trunc", True),
            (DONE, True),
            ("step_type", 2),
            ("discount", 1),
            (RESTARTED, True),
        ):
            if name in arrays:
                arrays[name] = np.full_like(arrays[name], value)
        return batch

    def _seen(self, env_id: int) -> Batch:
        """What the caller saw last of an environment, as a batch of its own."""
        last = self._last[env_id]
        assert last is not None
        row = np.flatnonzero(last.env_ids == env_id)
        return copied(self._shape.take(last, row))

    def _turned(self, batch: Batch) -> Batch:
        """First rows of new episodes, turned into rows in which others were cut off."""
        seen = join([self._seen(int(env_id)) for env_id in batch.env_ids])
        arrays = dict(batch.arrays)
        for name, value in (("trunc", True), (DONE, True), ("step_type", 2), (RESTARTED, True)):
            if name in arrays:
                arrays[name] = np.full_like(arrays[name], value)
        for name in arrays:
            plain = name.removeprefix("final ")
            if name != plain and plain in seen.arrays:
                arrays[name] = seen.arrays[plain]
        arrays[_FINAL] = np.ones(len(batch), np.bool_)
        info = dict(batch.info)
        if info.get("final_obs") is not None:
            info["final_obs"] = seen.obs
        return Batch(batch.obs, arrays, info)

    # Other calls.

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]:
        """Frames, drawn by the actors."""
        with self._used("render"):
            if not len(env_ids):
                return np.zeros((0, height, width, 3), np.uint8)
            answers = self._ask("render", env_ids, lambda rows: (width, height, camera_id))
            frames = [frame for _, part in answers for frame in part]
            rows = np.concatenate([rows for rows, _ in answers])
            return np.stack([frames[at] for at in np.argsort(rows)])

    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]:
        """One state for each id."""
        with self._used("save_state"):
            if self._lost[env_ids].any():
                wrong = env_ids[self._lost[env_ids]][0]
                raise SavedStateError(
                    f"save_state of {self._task_id}",
                    f"env {wrong}, whose actor was lost",
                    "environments whose episode goes on",
                    "Step or reset it first",
                )
            states: list[bytes] = [b""] * len(env_ids)
            for rows, part in self._ask("save_state", env_ids, lambda rows: ()):
                for row, state in zip(rows, part, strict=True):
                    states[row] = state
            return states

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None:
        """Loads all states, or raises and loads none."""
        with self._used("load_state"):
            if len(states) != len(env_ids):
                raise SavedStateError(
                    f"load_state of {self._task_id}",
                    f"{len(states)} states for {len(env_ids)} environments",
                    "one state for each environment",
                    "Pass env_ids",
                )
            self._check_ids(env_ids, "load_state of", self._in_flight)
            known = env_ids[~(self._unstarted | self._broken | self._lost)[env_ids]]
            # One actor loads all or none; of several, some may have loaded when another refuses.
            before = [] if len(np.unique(self._member_of[env_ids])) == 1 else self.save_state(known)
            try:
                self._load(states, env_ids)
            except SavedStateError:
                if before:
                    self._load(before, known)
                raise
            self._lost[env_ids] = self._broken[env_ids] = False
            self._running[env_ids] = True
            self._unstarted[env_ids] = False
            assert self._crew is not None
            for index in np.unique(self._member_of[env_ids]) if self._every else ():
                member = self._crew.members[index]
                mine = np.flatnonzero(self._member_of[env_ids] == index)
                member.states |= {int(env_ids[row]): states[int(row)] for row in mine}

    def _load(self, states: Sequence[bytes], env_ids: Ids) -> None:
        self._ask("load_state", env_ids, lambda rows: ([states[row] for row in rows],), True)

    def _ask(
        self,
        name: str,
        env_ids: Ids,
        args: Callable[[NDArray[np.intp]], tuple[Any, ...]],
        changes: bool = False,
    ) -> list[tuple[NDArray[np.intp], Any]]:
        """Calls a method in the actors of idle environments; rows of the call and what came."""
        assert self._crew is not None
        self._check_ids(env_ids, f"{name} of", self._in_flight | self._broken, StateError, False)
        owners = self._member_of[env_ids]
        calls = []
        for index in np.unique(owners):
            member = self._crew.members[index]
            rows = np.flatnonzero(owners == index)
            local = env_ids[rows] - np.int32(member.first)
            given = args(rows)
            ordered = (*given, local) if changes else (local, *given)
            calls.append((member, rows, getattr(member.handle, name).remote(*ordered)))
        done = self._await_asked([(member, ref) for member, _, ref in calls], changes)
        answers: list[tuple[NDArray[np.intp], Any]] = []
        problem: EnvPoolError | None = None
        for member, rows, ref in calls:
            try:
                if ref not in done:
                    raise TimeoutError(f"no answer in {self._deadline:g} s")
                answer = self._ray.get(ref)
            except (self._ray.exceptions.RayError, TimeoutError) as cause:
                self._replace(member, cause)
                problem = StateError(
                    f"{name} of {self._task_id}",
                    f"actor {member.index}, which was lost: {_first_line(cause)}",
                    "actors that answer",
                    "Call it again: another actor has been started",
                )
                continue
            if isinstance(answer, EnvPoolError):
                problem = answer
            answers.append((rows, answer))
        if problem is not None:
            raise problem
        return answers

    def _await_asked(self, calls: Sequence[tuple[Member, Any]], changes: bool) -> set[Any]:
        """Waits until actors have answered, or the time is over; the answers that came."""
        refs = [ref for _, ref in calls]
        patience = min(self._deadline, 1e6)
        if changes:  # an interrupt must not leave it open whether they have: it may wait a little
            done, _ = self._ray.wait(refs, num_returns=len(refs), timeout=min(patience, _SOON))
            if len(done) == len(refs):
                return set(done)
        try:
            with interruptible():
                done, _ = self._ray.wait(refs, num_returns=len(refs), timeout=patience)
                return set(done)
        except BaseException:
            if changes:
                for member, _ in calls:
                    self._restart(member)
            raise

    # Checks.

    @contextmanager
    def _used(self, call: str, opens: bool = False) -> Iterator[None]:
        """Keeps other threads out, and refuses what a closed pool cannot do."""
        if os.getpid() != self._owner:
            raise StateError(
                f"{call} of {self._task_id}",
                "a pool that another process has made",
                "the process that made it",
                "Make a pool in this process",
            )
        try:
            with self._lock, uninterrupted():
                self._be_open(call, opens)
                yield
            self._given = None
        except BaseException as error:
            if self._given is not None and error is not self._given:
                with self._lock, uninterrupted():
                    self._take_back()
            self._given = None
            raise

    def _be_open(self, call: str, opens: bool) -> None:
        if self._crew is None:
            if not opens:
                raise StateError(
                    f"{call} of {self._task_id}",
                    "a closed pool",
                    "reset and async_reset, which open it again",
                    "Call reset() or make a new pool",
                )
            self._open()
        elif not self._ray.is_initialized():
            raise StateError(
                f"{call} of {self._task_id}",
                "a cluster that this program has left",
                "a connection to the cluster of the pool",
                "Do not call ray.shutdown() before close(); make a new pool",
            )

    def _check_ids(
        self,
        ids: Ids,
        call: str,
        wrong: NDArray[np.bool_],
        busy: type[EnvPoolError] = EnvIdError,
        once: bool = True,
    ) -> None:
        asked = f"{call} {self._task_id}"
        if once and len(np.unique(ids)) != len(ids):
            values, counts = np.unique(ids, return_counts=True)
            raise EnvIdError(
                asked,
                f"env {values[counts > 1][0]} twice",
                "every env id once per call",
                "Remove the duplicate",
            )
        if not wrong[ids].any():
            return
        first = ids[wrong[ids]][0]
        if self._in_flight[first]:
            raise busy(
                asked,
                f"env {first}, which is in flight",
                "environments whose result was received",
                "Call recv() first",
            )
        raise StateError(
            asked, f"env {first}, which failed before", "environments that run", "Reset it first"
        )


def _forget(crew: Crew, ray: Any, owner: int) -> None:
    """Ends the actors of a pool that nobody has closed."""
    if os.getpid() == owner:
        crew.forget()
        _cluster.leave(ray)


def _first_line(cause: BaseException) -> str:
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[0] if lines else ''}"[:300]
