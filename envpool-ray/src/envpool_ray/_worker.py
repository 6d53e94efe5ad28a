# SPDX-License-Identifier: Apache-2.0
"""PoolActor: what a worker does. It owns an ordinary pool of some of the environments.

A worker takes one request at a time, from a connection of its own to the caller, and answers each
with one result, however many environments it is about.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import EnvPoolError, WorkerError
from numpy.typing import NDArray

from ._node_checks import check_room, versions
from ._rows import numbered, without_arrays
from .wire.connection import Listener
from .wire.framing import Arrays, Shared
from .wire.shared_buffers import Field, rows_in_place

STEP, RESET = "step", "reset"


class Response(NamedTuple):
    """The answer of a worker to a step or a reset, beside the arrays of its layout's names.

    The last of its arrays has one number, the seconds in the pool: so the rest is mostly the same.
    """

    obs: Any
    """The observation, with the places of arrays for them; the first of them if all of it is arrays
    in the order of the layout; None if the layout has none apart."""
    info: dict[str, Any] | None = None
    """Infos that only some environments have, like it; None if there are none."""
    failures: Sequence[tuple[int, str]] = ()
    """Environments that failed, and why."""
    states: dict[int, bytes] | None = None
    """States of the environments that were used since the last checkpoint, if it was asked for."""


class PoolActor:
    """A pool of the environments `first`, `first + 1` and so on."""

    def open(
        self,
        task_id: str,
        config: Mapping[str, Any],
        layout: Any,
        first: int,
        states: Mapping[int, bytes],
        saves: bool,
        row_bytes: int,
        sharing: int,
        caller: str,
        fields: Sequence[Field],
    ) -> dict[str, Any]:
        """Builds the environments.

        Args:
            task_id: The task to make.
            config: Options of this slice.
            layout: The layout of results, see `WorkerLayout.worker_layout`.
            first: The first environment of the slice.
            states: The states that environments, counted in the whole pool, go on with.
            saves: Whether states will be wanted.
            row_bytes: Bytes of a result of an environment.
            sharing: Actors that start on a node; 0: this one takes the place of another.
            caller: The node of the caller.
            fields: The arrays in memory that a caller on this machine shares.
        """
        import envpool
        import ray
        from ray.util import get_node_ip_address

        _be_patient()
        check_room(f"make({task_id!r})", config["num_envs"], row_bytes, sharing)
        whole = envpool.make(task_id, **config)
        pool = whole.compiled
        pool.set_result_layouts(layout, layout)
        self._whole, self._pool, self._first = whole, pool, np.int32(first)
        self._obs_tree = numbered(layout[0], len(layout[1]))
        self._ids_at = [at for at, name in enumerate(layout[1]) if name.endswith("env_id")]
        self._saves = saves
        self._used = np.zeros(config["num_envs"], np.bool_)  # since the last checkpoint
        if states:
            pool.load_state([*states.values()], np.asarray([*states], np.int32) - self._first)
        here = caller == ray.get_runtime_context().get_node_id() and sys.platform == "linux"
        host = get_node_ip_address()  # type: ignore[no-untyped-call]
        self._listener = Listener(None if here else host)
        self._fields = fields
        # One that was compiled before it could has results of its own, which are copied.
        self._shares = hasattr(pool, "set_result_arrays")
        address = self._listener.address
        return {
            "pid": os.getpid(),
            "threads": pool.num_threads,
            "address": address,
            "local": here,
            "versions": versions(),
        }

    def serve(self, secret: bytes) -> None:
        """Does what the caller asks, one request after the other, until it goes away.

        Args:
            secret: By which it is known.
        """
        _be_patient()
        try:
            self._listener.accept(secret)
            while True:
                (name, quiet, args), arrays = self._listener.receive()
                try:
                    if name == "work":
                        answer, back, shared = self.work(arrays, *args)
                    else:
                        answer, back, shared = getattr(self, name)(*args), (), ()
                except EnvPoolError as error:
                    answer, back, shared = error, (), ()
                if not quiet:
                    self._listener.send(answer, back, _is_repeated(answer), shared)
        except ConnectionError:  # the caller has gone
            return
        finally:
            self._listener.close()

    def work(
        self, given: Arrays, kind: str, what: Any, save: bool, slot: tuple[int, int] | None
    ) -> tuple[Any, Arrays, Shared]:
        """Takes a step in some environments, or resets them.

        Args:
            given: Environments, counted in the slice, and the arrays of the action.
            kind: `STEP` or `RESET`.
            what: The names of those arrays; or seeds.
            save: Whether states are wanted afterwards.
            slot: The buffer, and the first of its rows, where large results are to be; maybe None.

        Returns:
            The parts of a `Response` up to the last that is not as in most, and arrays; ids count
            the whole pool. And those of the arrays in their place.
        """
        began = time.perf_counter()
        wanted: dict[str, NDArray[Any]] = {}
        if slot is not None and self._shares and slot[0] in self._listener.buffers:
            wanted = self._listener.buffers.arrays(self._fields, *slot, len(self._used))
            self._pool.set_result_arrays(wanted)
        failures: list[tuple[int, str]] = []
        ids = given[0]
        try:
            if kind == RESET:
                result = self._pool.reset(ids, what)
            elif len(what) == 1:
                result = self._pool.step(given[1], ids)
            else:
                result = self._pool.step(dict(zip(what, given[1:], strict=True)), ids)
        except WorkerError as error:
            failures = [(env_id + int(self._first), text) for env_id, text in error.failures]
            if not failures:
                raise RuntimeError(str(error)) from error
            left = self._pool.num_in_flight
            result = self._pool.recv(False) if left else None
        if self._saves:
            self._used[ids] = True
        states = self._save(failures) if save else None
        seconds = np.array([time.perf_counter() - began])
        if result is None:
            return (None, None, failures, states), [seconds], ()
        arrays = self._in_pool(result[1], {id(array) for array in wanted.values()})
        first = len(arrays)
        obs, info = without_arrays(result[0], arrays), without_arrays(result[2], arrays)
        if obs is not None and obs == self._obs_tree:
            obs = first
        arrays.append(seconds)
        shared = rows_in_place(arrays, [*wanted.values()]) if wanted else ()
        if not (info or failures or states):
            return (obs,), arrays, shared
        return (obs, info, failures, states), arrays, shared

    def _in_pool(self, arrays: tuple[Any, ...], wanted: set[int]) -> list[Any]:
        """The arrays, with ids that count in the whole pool."""
        found = [*arrays]
        for at in self._ids_at if self._first else ():
            own = found[at]
            if id(own) in wanted or id(own.base) in wanted:
                own += self._first
            else:
                found[at] = own + self._first
        return found

    def _save(self, failures: Sequence[tuple[int, str]]) -> dict[int, bytes]:
        self._used[[env_id - self._first for env_id, _ in failures]] = False
        ids = np.flatnonzero(self._used).astype(np.int32)
        self._used[:] = False
        saved = self._pool.save_state(ids)
        return {i + int(self._first): state for i, state in zip(ids.tolist(), saved, strict=True)}

    def render(self, ids: NDArray[np.int32], width: int, height: int, camera_id: int) -> Any:
        """Frames."""
        return self._pool.render(ids, width, height, camera_id)

    def save_state(self, ids: NDArray[np.int32]) -> Any:
        """States of environments."""
        return self._pool.save_state(ids)

    def load_state(self, ids: NDArray[np.int32], states: Sequence[bytes]) -> None:
        """Takes environments back to saved moments."""
        self._used[ids] = True
        self._pool.load_state(states, ids)

    def close(self) -> None:
        """Ends the pool."""
        self._pool.close()

    def stall(self) -> None:
        """Answers no more, as a worker that hangs: for tests."""
        os.kill(os.getpid(), signal.SIGSTOP)


def _is_repeated(answer: Any) -> bool:
    """Whether it is one of a few that a worker gives all the time."""
    return type(answer) is tuple and len(answer) == 1 and type(answer[0]) in (int, type(None))


def _be_patient() -> None:
    """Lets a caller that has a request for the next worker go on when one wakes this thread.

    With as many workers as CPUs, the others would wait for theirs until this one is done. Threads
    that are started from here do the same.
    """
    if hasattr(os, "SCHED_BATCH"):
        with suppress(OSError):  # a system may forbid it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
