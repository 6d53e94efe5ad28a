# SPDX-License-Identifier: Apache-2.0
"""PythonPool: the calls of a pool, for kinds of pools that are written in Python.

A subclass begins episodes and makes steps; ids, seeds, actions, refusals, the environments in
flight, the lock, forks, timeouts and layouts are here, equal to those of compiled pools in C++.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._backend import PoolBackend
from ..errors import RenderError, SavedStateError
from . import refusals
from .arguments import ActionRows, Ids, PythonArguments
from .in_flight import InFlight, Rows
from .layout import ALL_ROWS, IDS, Layout

if TYPE_CHECKING:
    from .._backend import CompiledArray

_POLL = 0.002  # seconds between two checks of other threads' sends, or of a device's results


class PythonPool(PoolBackend):
    """The calls of a pool; a subclass begins episodes and steps, and delivers their rows.

    A subclass overrides `begin_episodes` and `begin_steps`, and passes the rows of their results to
    `deliver`, within these two methods or within `collect`. It may also override `open`, `free`,
    `layouts_changed`, `build`, `nothing`, `draw`, `draw_all`, `states_of` and `set_states`. One
    thread at a time calls these methods, with checked arguments.

    Attributes:
        num_envs: Environments of the pool.
        batch_size: Rows of a batch.
        is_sync: Whether a batch has a row for each environment that was sent.
        mode: "next_step", "same_step" or "disabled".
        seeds: The last seed that each environment was given, int64 (num_envs,).
        flight: The state of each environment.
        arguments: Checks and converts ids, seeds and actions.
        layouts: The layouts of step and recv, and of reset.
    """

    closed = False
    task_id = ""

    def __init__(
        self,
        config: Mapping[str, Any],
        state: Sequence[CompiledArray],
        action: Sequence[CompiledArray],
        task_id: str,
        autoreset_mode: str,
    ) -> None:
        """Opens the pool; `set_result_layouts` gives it layouts later.

        Args:
            config: All options.
            state: The arrays of the state.
            action: The arrays of an action.
            task_id: The task's id for error messages.
            autoreset_mode: "next_step", "same_step" or "disabled".
        """
        self.task_id, self.mode = task_id, autoreset_mode
        self.num_envs: int = config["num_envs"]
        self.batch_size: int = config["batch_size"] or self.num_envs
        self.is_sync = self.batch_size == self.num_envs
        first: int = config["seed"]
        given: Sequence[int] = config["env_seed"] or range(first, first + self.num_envs)
        self.seeds = np.asarray(given, np.int64)
        self.layouts = Layout(), Layout()
        self.arguments = self.new_arguments(action, config["max_num_players"])
        self._state = state
        self._lock = threading.RLock()  # the lock of the condition
        self._condition = threading.Condition(self._lock)
        self._num_waiting = 0  # threads in recv(timeout=...)
        self._owner = os.getpid()
        self._open()

    def _open(self) -> None:
        self.flight = self.new_flight()
        # The environments received last; in a synchronous pool always all.
        self._last_ids: Ids | None = self.arguments.all if self.is_sync else None
        self.open()
        self.closed = False

    def new_arguments(self, action: Sequence[CompiledArray], max_players: int) -> PythonArguments:
        """The object that checks ids, seeds and actions."""
        return PythonArguments(action, self.num_envs, max_players, self.task_id)

    def new_flight(self) -> InFlight:
        """A state in which no environment has an episode; the pool opens or closes."""
        return InFlight(self.arguments.all, self.batch_size, self.mode, self.task_id)

    # Methods for a subclass to override.

    def open(self) -> None:
        """Builds everything that `free` frees; the constructor and reopening resets call it."""

    def free(self) -> None:
        """Frees the environments: the pool is closed."""

    def layouts_changed(self) -> None:
        """Is called after `layouts` were set."""

    def begin_episodes(self, ids: Ids, seeds: list[int] | None) -> None:
        """Starts episodes; if seeds are given, each generator begins anew with its seed."""
        raise NotImplementedError

    def begin_steps(self, ids: Ids, action: ActionRows) -> None:
        """Starts steps, in environments that have been reset."""
        raise NotImplementedError

    def collect(self, seconds: float | None) -> None:
        """Waits for rows or failures, at most so many seconds, and delivers them."""
        raise NotImplementedError

    def deliver(self, rows: Rows) -> None:
        """A subclass calls it with the rows that have come."""
        self.flight.add(rows)

    def fail(self, ids: Ids, text: str) -> None:
        """A subclass calls it for failed environments, with the text of an exception."""
        self.flight.fail(ids, text)

    def build(self, parts: Sequence[Rows], order: NDArray[np.intp] | None, layout: Layout) -> Any:
        """A result: the rows of all parts, in this order."""
        ids = np.concatenate([rows.ids for rows in parts])
        arrays = {IDS[0]: ids, IDS[1]: ids, ALL_ROWS: np.ones(len(ids), np.bool_)}
        for name in layout.outputs:
            arrays[name] = np.concatenate([rows.arrays[name] for rows in parts])
        if order is not None:
            arrays = {name: array[order] for name, array in arrays.items()}
        arrays[IDS[1]] = arrays[IDS[0]].copy()
        return layout.build(arrays)

    def nothing(self, layout: Layout) -> Any:
        """The result of a call without environments: arrays without rows."""
        arrays = {}
        for name, dtype, shape, *_ in self._state:
            item = shape[1:] if shape[:1] == (-1,) else shape
            arrays[name] = arrays[f"final {name}"] = np.zeros((0, *item), dtype)
        return self.build([Rows(np.zeros(0, np.int32), arrays)], None, layout)

    def draw(self, env_id: int, width: int, height: int, camera_id: int) -> NDArray[np.uint8]:
        """A frame of an environment that has an episode."""
        raise NotImplementedError

    def draw_all(self, ids: Ids, width: int, height: int, camera_id: int) -> NDArray[np.uint8]:
        """Frames of some environments; a subclass may draw them together."""
        return np.stack([self.draw(i, width, height, camera_id) for i in ids.tolist()])

    def states_of(self, ids: Ids) -> list[bytes]:
        """The states of environments; an id may come twice."""
        raise NotImplementedError

    def set_states(self, states: Sequence[bytes], ids: Ids) -> None:
        """Loads all states, or raises and loads none."""
        raise NotImplementedError

    # The calls of a pool.

    @property
    def num_threads(self) -> int:
        """Threads of this pool that step: only the calling thread."""
        return 1

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        return self.flight.count

    def using(self) -> Any:
        """A context manager around a call: one thread at a time, in the pool's process.

        It is the lock itself: Python enters and leaves a lock between two signals, so Ctrl-C never
        leaves the pool locked.
        """
        if self._owner != os.getpid():
            raise refusals.forked(self.task_id)
        if self._lock._is_owned():  # type: ignore[attr-defined]
            raise refusals.nested(self.task_id)
        return self._lock

    def check_open(self, call: str) -> None:
        """Refuses a call of a closed pool."""
        if self.closed:
            raise refusals.closed(call, self.task_id)

    def set_result_layouts(self, step: object, reset: object) -> None:
        """Sets the layouts of results."""
        with self.using():
            self.check_open("set_result_layouts")
            self.flight.check_nothing("set_result_layouts")
            self.layouts = Layout(step), Layout(reset)
            self.layouts_changed()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts steps."""
        with self.using():
            self.check_open("step or send")
            self._send(action, env_id)

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Calls `send` and `recv`."""
        with self.using():
            self.check_open("step or send")
            if not self._send(action, env_id, then_recv=True) and self.is_sync:
                return self.nothing(self.layouts[0])
            return self._receive(self.layouts[0], newest=self.is_sync)

    def recv(self, reset: bool = False, timeout: float | None = None) -> Any:
        """Waits for a batch."""
        if timeout is None:
            with self.using():
                self.check_open("recv")
                return self._receive(self.layouts[reset])
        if not timeout >= 0:
            raise refusals.wrong_timeout(self.task_id, timeout)
        with self.using():
            self.check_open("recv")
            self._await_others(time.monotonic() + timeout)
            return self._take(self.layouts[reset])

    def reset(self, env_id: object = None, seed: object = None) -> Any:
        """Calls `async_reset` and `recv(True)`."""
        with self.using():
            if self.closed:
                self._open()
            ids = self._send_reset(env_id, seed, then_recv=True)
            if not len(ids):
                return self.nothing(self.layouts[1])
            if self.is_sync or env_id is None:
                return self._receive(self.layouts[1], newest=self.is_sync)
            while self.flight.here < self.flight.count:
                self.collect(None)
            return self._deliver(*self.flight.take_of(ids), self.layouts[1])

    def async_reset(self, env_id: object = None, seed: object = None) -> None:
        """Starts episodes."""
        with self.using():
            if self.closed:
                self._open()
            self._send_reset(env_id, seed)

    def _send(self, action: Any, env_id: Any, then_recv: bool = False) -> int:
        """Starts steps and returns their number."""
        flight, arguments = self.flight, self.arguments
        ids = arguments.ids_of_action(action, env_id, self._last_ids)
        flight.check_send(ids, is_step=True)
        if then_recv and len(ids):
            flight.check_recv(len(ids))
        rows = arguments.rows(action, ids)
        flight.send(ids)
        self._wake()
        if flight.all_begun:
            self.begin_steps(ids, rows)
            return len(ids)
        # The first step of an environment that was never reset is a reset.
        first = ~flight.has_episode[ids]
        if first.any():
            flight.begin(ids[first])
            self.begin_episodes(ids[first], None)
        if not first.all():
            others = np.flatnonzero(~first)
            self.begin_steps(ids[others], rows.take(others, ids[others], arguments.per_player))
        return len(ids)

    def _send_reset(self, env_id: object, seed: object, then_recv: bool = False) -> Ids:
        flight = self.flight
        ids = self.arguments.ids(env_id, "reset(env_id=...)")
        seeds = self.arguments.seeds(seed, ids)
        # The reset replaces results in flight; in an asynchronous pool, either all or none.
        drops = len(ids) > 0 and (self.is_sync or env_id is None)
        flight.check_send(ids, is_step=False, drops=drops)
        if drops and flight.is_any_in_flight(ids):
            while flight.here < flight.count:
                self.collect(None)
            flight.replace(ids)
        if then_recv and len(ids) and env_id is None:
            flight.check_recv(len(ids))
        if then_recv and len(ids):
            flight.complete()
        if seeds is not None:
            self.seeds[ids] = seeds
        flight.send(ids)
        self._wake()
        flight.begin(ids)
        if len(ids):
            self.begin_episodes(ids, seeds)
        if then_recv:
            flight.complete()
        return ids

    def _receive(self, layout: Layout, newest: bool = False) -> Any:
        self.flight.check_recv()
        while not self.flight.has_come(newest):
            self.collect(None)
        return self._take(layout, newest)

    def _take(self, layout: Layout, newest: bool = False) -> Any:
        return self._deliver(*self.flight.take(newest), layout)

    def _deliver(
        self, parts: Sequence[Rows], order: NDArray[np.intp] | None, layout: Layout
    ) -> Any:
        if not self.is_sync:
            ids = np.concatenate([rows.ids for rows in parts])  # a copy: callers may change theirs
            self._last_ids = self.flight.idle = ids if order is None else ids[order]
        if self.mode == "disabled":
            for rows in parts:
                self.flight.end(rows.ids[rows.done()])
        return self.build(parts, order, layout)

    def _await_others(self, until: float) -> None:
        """Waits for a batch, also for sends of other threads."""
        flight = self.flight
        while True:
            enough, here = flight.fills_batch(), flight.here
            if enough and not flight.has_come():
                self.collect(max(0.0, min(_POLL, until - time.monotonic())))
            if enough and flight.is_ready():
                return
            left = until - time.monotonic()
            if left <= 0:
                count, wanted = flight.count, flight.least
                if enough:
                    count, wanted = flight.looked_at, flight.wanted()
                raise refusals.timed_out(self.task_id, count, wanted, enough)
            if not enough or flight.here == here:
                self._let_others(min(_POLL, left))
            flight = self.flight
            self.check_open("recv")

    def _let_others(self, seconds: float) -> None:
        """Lets other threads use the pool for so many seconds."""
        self._num_waiting += 1
        try:
            self._condition.wait(seconds)
        finally:
            self._num_waiting -= 1

    def _wake(self) -> None:
        """Wakes threads that wait for sends; they look when this call has ended."""
        if self._num_waiting:
            self._condition.notify_all()

    def render(
        self,
        env_ids: NDArray[np.int32],
        width: int,
        height: int,
        camera_id: int,
        depth: bool = False,
    ) -> Any:
        """Frames, drawn one by one."""
        with self.using():
            self.check_open("render")
            ids = self.arguments.ids(env_ids, "render(env_ids=...)")
            if not len(ids):
                raise RenderError(
                    f"render of {self.task_id}",
                    "no env ids",
                    "at least one id",
                    "Pass env_ids, or None for render_env_id",
                )
            self.flight.check_idle(ids, "render")
            own = type(self)
            draws = (own.draw, own.draw_all) != (PythonPool.draw, PythonPool.draw_all)
            if not draws or depth:
                return PoolBackend.render(self, ids, width, height, camera_id, depth)
            for env_id in ids.tolist():
                if not self.flight.was_reset[env_id]:
                    raise RenderError(
                        f"render of {self.task_id}, env {env_id}",
                        "no episode yet",
                        "environments that were reset",
                        "Call reset() first",
                    )
            return self.draw_all(ids, width, height, camera_id)

    def save_state(self, env_ids: NDArray[np.int32]) -> list[bytes]:
        """One state for each id."""
        with self.using():
            self.check_open("save_state")
            ids = self.arguments.ids(env_ids, "save_state(env_ids)")
            self.flight.check_idle(ids, "save_state")
            if type(self).states_of is PythonPool.states_of:
                return PoolBackend.save_state(self, ids)
            return self.states_of(ids)

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32]) -> None:
        """Loads all states, or raises and loads none."""
        with self.using():
            self.check_open("load_state")
            ids = self.arguments.ids(env_ids, "load_state(states, env_ids)")
            call = f"load_state of {self.task_id}"
            if len(states) != len(ids):
                raise SavedStateError(
                    call,
                    f"{len(states)} states",
                    f"{len(ids)} states, one for each env id",
                    "Pass as many states as ids",
                )
            for state in states:
                if not isinstance(state, bytes):
                    raise SavedStateError(
                        call, repr(state), "bytes", "Pass what save_state returned"
                    )
            self.flight.check_idle(ids, "load_state")
            if type(self).set_states is PythonPool.set_states:
                PoolBackend.load_state(self, states, ids)
            self.set_states(states, ids)

    def close(self) -> None:
        """Frees the environments; does nothing in a forked process."""
        if self._owner != os.getpid():
            return
        with self.using():
            if not self.closed:
                self.closed = True
                self.flight = self.new_flight()
                self.free()
                self._wake()
