# SPDX-License-Identifier: Apache-2.0
"""RayPool: the pool that stands where others have a compiled one.

`send` gives every actor one message with its rows of the action; `recv` takes answers of whichever
actors have one. Calls go from left to right:

    RayPool -> Express                            does calls that are like the last ones
            -> opened_crew                        starts actors
            -> Arguments, Envs                    check what a call asks
            -> Delivery -> Crew ~~~> Slice        sends, and replaces what is lost
            -> Answers -> Delivery                waits for answers, and makes them results
            -> Calls -> Answers, Delivery         render and states
            -> Results, Shown                     what the caller gets

Every call is one section that no signal cuts in two, see `_signals`.
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
from envpool.errors import ConfigError, RecvTimeoutError, StateError, WorkerError
from numpy.typing import NDArray

from . import _cluster
from ._actions import Arguments, Ids
from ._actor import RESET, STEP
from ._answers import Answers
from ._batch import FINAL_RESTARTED, RESTARTED, Batch, Plan, Shown
from ._calls import Calls
from ._crew import Crew
from ._delivery import Delivery
from ._envs import Envs
from ._express import Express
from ._metrics import Metrics
from ._opening import opened_crew
from ._results import Results
from ._seen import Seen
from ._settings import Settings
from ._signals import Uninterrupted
from ._state import State

_NAP = 0.005  # seconds between two looks at what another thread sends


class RayPool:
    """A `CompiledPool` (see `envpool.typing`) whose environments are in actors of Ray."""

    def __init__(self, settings: Settings) -> None:
        """Keeps its settings. The actors start with the first call of `set_result_layouts`."""
        self._settings = settings
        self._lock = threading.RLock()
        self._owner = os.getpid()
        self._plan: Plan | None = None
        self._crew: Crew | None = None  # None: the pool is closed
        self._finalizer: Any = None
        self._given: Batch | WorkerError | None = None  # by the call that goes on
        self._express: Express | None = None  # None: the pool has not been open

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
        if self._crew is None or self._express is None:
            return 0
        calls = self._express.calls
        return self._envs.num_in_flight if calls is None else int(calls.num_in_flight)

    @property
    def restarts(self) -> list[int]:
        """How often each actor was replaced."""
        return [] if self._crew is None else [m.restarts for m in self._crew.members]

    def set_result_layouts(self, step: object, reset: object, /) -> None:
        """Says how results are built, and starts the actors, which have to know."""
        own = (RESTARTED, FINAL_RESTARTED)
        plan = Plan.of(step, reset, own, self._settings.max_players > 1)
        with self._lock, Uninterrupted():
            if self._plan is not None and self._crew is not None:
                if self._envs.num_in_flight:
                    raise StateError(
                        f"set_result_layouts of {self._settings.task_id}",
                        "results on the way",
                        "a pool that has none",
                        "Call recv() first",
                    )
                self.close()
            self._plan = plan
            self._shown = Shown(step), Shown(reset)
            self._open()

    def send(self, action: Any, env_id: Any = None, /) -> None:
        """Gives the actors of some environments one message each."""
        if (calls := self._usual_calls()) is not None:
            before = None
            try:
                with self._lock:
                    before = calls.count
                    if calls.send(action, env_id) is not None:
                        return
            except BaseException:
                self._take_usual_back(calls, before)
                raise
        with self._own_lock("step or send"), _Use(self, "step or send"):
            self._send(action, env_id)

    def step(self, action: Any, env_id: Any = None, /) -> Any:
        """Is `send` and `recv` in one."""
        result = before = None
        if (calls := self._usual_calls()) is not None:
            try:
                with self._lock:
                    before = calls.count
                    result = calls.step(action, env_id)
                    if result is not None and result is not False:
                        return result
            except BaseException:
                self._take_usual_back(calls, before)
                raise
        with self._own_lock("step or send"), _Use(self, "step or send"):
            if result is None:
                self._send(action, env_id, then_recv=True)
            return self._receive(reset=False)

    def reset(self, env_id: object = None, seed: object = None, /) -> Any:
        """Is `async_reset` and `recv(True)` in one."""
        with self._own_lock("reset"), _Use(self, "reset", opens=True):
            self._send_reset(env_id, seed, then_recv=True)
            return self._receive(reset=True)

    def async_reset(self, env_id: object = None, seed: object = None, /) -> None:
        """Starts episodes and returns."""
        with self._own_lock("reset"), _Use(self, "reset", opens=True):
            self._send_reset(env_id, seed)

    def recv(self, reset: bool = False, timeout: float | None = None, /) -> Any:
        """Waits for a batch."""
        if timeout is not None and not timeout >= 0:
            raise ConfigError(
                f"recv(timeout=...) of {self._settings.task_id}",
                str(timeout),
                "seconds from 0, or None to wait for as long as it takes",
                "Correct the timeout",
            )
        until = math.inf if timeout is None else time.monotonic() + timeout
        if not reset and (calls := self._usual_calls()) is not None:
            before = None
            try:
                with self._lock:
                    before = calls.count
                    if (result := calls.recv(until)) is not None:
                        return result
            except BaseException:
                self._take_usual_back(calls, before)
                raise
        if timeout is None:
            with self._own_lock("recv"), _Use(self, "recv"):
                return self._receive(reset)
        while True:
            with self._own_lock("recv"), _Use(self, "recv"):
                if self._results.will_do() or time.monotonic() >= until:
                    return self._receive(reset, until)
            time.sleep(
                max(0.0, min(_NAP, until - time.monotonic()))
            )  # another thread may send what is missing

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]:
        """Frames, drawn by the actors."""
        with self._own_lock("render"), _Use(self, "render"):
            return self._calls.render(env_ids, width, height, camera_id)

    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]:
        """One state for each id."""
        with self._own_lock("save_state"), _Use(self, "save_state"):
            return self._calls.save_state(env_ids)

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None:
        """Loads all states, or raises and loads none."""
        with self._own_lock("load_state"), _Use(self, "load_state"):
            self._calls.load_state(states, env_ids)

    def close(self) -> None:
        """Ends the actors, and the cluster if the pool has started it and nobody else needs it."""
        with self._lock, Uninterrupted():
            crew, self._crew = self._crew, None
            if crew is None or os.getpid() != self._owner:
                return
            self._finalizer.detach()
            if self._express is not None:
                self._express.retire()
            self._seen.clear()
            self._results.clear()
            try:
                crew.close()
            finally:
                _cluster.leave(crew.ray)

    def _open(self) -> None:
        assert self._plan is not None
        settings = self._settings
        crew = opened_crew(settings, self._plan)
        self._arguments = Arguments(
            settings.actions, settings.num_envs, settings.max_players, settings.task_id
        )
        self._last_ids: Ids | None = None
        self._last_owner: int | None = None
        self._changes = 0  # of `Envs`, when they came
        self._envs = envs = Envs(settings.num_envs, settings.task_id)
        self._seen = Seen(settings.shape)
        self._results = Results(settings, envs)
        state = State(settings, crew, envs, self._seen, self._results)
        self._delivery = Delivery(state, self._arguments.per_player)
        self._answers = Answers(state, self._delivery, self._plan)
        self._calls = Calls(state, self._delivery, self._answers)
        self._express = Express(state, self._plan, self._delivery, self._answers)
        self._metrics = Metrics(settings.task_id)
        self._crew = crew
        self._finalizer = weakref.finalize(self, _forget, crew, self._owner)

    def _usual_calls(self) -> Any:
        """What does calls that are like the last ones; None if nothing does.

        Who uses it has a `try` of its own: an interrupt between two functions would lose a result.
        """
        express = self._express
        return None if express is None or os.getpid() != self._owner else express.calls

    def _take_usual_back(self, calls: Any, before: int | None) -> None:
        """Such a call was interrupted: what it would have given comes again."""
        with self._lock:
            if before is not None and calls.count == before + 1:
                calls.take_back()

    def _settle(self) -> None:
        """Has all of what usual calls have done known here."""
        if self._express is not None and self._express.calls is not None:
            last = self._express.settle()
            if last is not None:
                self._last_ids, self._last_owner = last
                self._changes = self._envs.changes if self._last_owner is not None else -1

    def _arm(self) -> None:
        """Lets the next calls be usual ones, if they can."""
        if self._crew is not None and self._express is not None:
            self._express.arm(self._last_ids, self._last_owner)

    def _send(self, action: Any, env_id: Any, then_recv: bool = False) -> None:
        envs, settings = self._envs, self._settings
        last = None if settings.sync else self._last_ids
        ids = self._arguments.ids_of_action(action, env_id, last)
        owner = None
        if ids is last and envs.changes == self._changes:
            owner = self._last_owner  # and nothing can be wrong with those that have just come
        else:
            envs.check(ids, "step or send to", envs.in_flight | envs.broken)
        if settings.autoreset_mode == "disabled":
            envs.check_episodes(ids)
        if then_recv:
            self._results.check(len(ids))
        self._delivery.send(STEP, ids, self._arguments.rows(action, ids), owner)

    def _send_reset(self, env_id: object, seed: object, then_recv: bool = False) -> None:
        envs = self._envs
        ids = self._arguments.ids(env_id, "reset(env_id=...)")
        seeds = self._arguments.seeds(seed, ids)
        # What is in flight is replaced by the reset; of an asynchronous pool, all or nothing.
        drops = self._settings.sync or env_id is None
        envs.check(ids, "reset of", np.zeros_like(envs.in_flight) if drops else envs.in_flight)
        if drops and np.count_nonzero(envs.in_flight[ids]):
            self._drop(ids)
        if then_recv:
            self._results.check(len(ids))
        self._delivery.send(RESET, ids, seeds)

    def _drop(self, ids: Ids) -> None:
        """Waits for what is in flight, and forgets the results of some environments."""
        crew = self._crew
        assert crew is not None
        self._answers.gather(lambda: not any(m.pending for m in crew.members), None)
        gone = np.zeros(self._settings.num_envs, np.bool_)
        gone[ids] = True
        self._results.drop(gone)
        self._envs.receive(ids)

    def _receive(self, reset: bool, until: float | None = None) -> Any:
        assert self._plan is not None
        assert self._crew is not None
        results = self._results
        if until is None:
            results.check()
        if results.will_do():
            self._answers.gather(results.is_full, until)
        if until is not None and not (results.will_do() and results.is_full()):
            raise RecvTimeoutError(
                f"recv(timeout=...) of {self._settings.task_id}",
                f"{results.progress()} before the time was over",
                "any timeout, or None to wait for as long as it takes",
                "Call recv() again: nothing was lost",
            )
        batch = self._given = results.take()
        if isinstance(batch, WorkerError):
            raise batch
        self._envs.receive(batch.env_ids)
        self._last_ids, self._last_owner = batch.env_ids, batch.owner
        self._changes = self._envs.changes
        self._arguments.remember(batch.env_ids, batch.players)
        self._metrics.tell(self._crew.members)
        return self._shown[reset].of(batch)

    def _take_back(self, error: BaseException) -> None:
        """A call ends so: if it had all that it wanted, what it would have given comes again."""
        given, self._given = self._given, None
        if given is None or error is given:
            return
        with Uninterrupted():
            self._settle()
            self._results.take_back(given)
            if isinstance(given, Batch):
                self._envs.send(given.env_ids)

    def _own_lock(self, call: str) -> threading.RLock:
        """What keeps other threads out; it may be held for ever in a process that was forked."""
        if os.getpid() != self._owner:
            raise StateError(
                f"{call} of {self._settings.task_id}",
                "a pool that another process has made",
                "the process that made it",
                "Make a pool in this process",
            )
        return self._lock

    def _be_open(self, call: str, opens: bool) -> None:
        if self._crew is None:
            if not opens:
                raise StateError(
                    f"{call} of {self._settings.task_id}",
                    "a closed pool",
                    "reset and async_reset, which open it again",
                    "Call reset() or make a new pool",
                )
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


def _forget(crew: Crew, owner: int) -> None:
    """Ends the actors of a pool that nobody has closed."""
    if os.getpid() == owner:
        crew.forget()
        _cluster.leave(crew.ray)
