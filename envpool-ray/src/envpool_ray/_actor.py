# SPDX-License-Identifier: Apache-2.0
"""Slice: what an actor does. It owns an ordinary pool of some of the environments.

An actor takes one message at a time, from a connection of its own to the caller, and answers each
with one result, however many environments it is about.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import EnvPoolError, WorkerError
from numpy.typing import NDArray

from ._line import Server

STEP, RESET = "step", "reset"


class Answer(NamedTuple):
    """What an actor returns for a step or a reset."""

    obs: Any
    """The observation; None if the layout has none apart."""
    arrays: tuple[Any, ...]
    """The other arrays, in the order of the plan's names; ids count in the whole pool."""
    info: dict[str, Any]
    """Infos that only some environments have."""
    failures: list[tuple[int, str]]
    """Environments that failed, and why."""
    states: dict[int, bytes] | None
    """States of the environments that were used since the last checkpoint, if it was asked for."""
    seconds: float
    """Time in the pool."""


class Slice:
    """A pool of the environments `first`, `first + 1` and so on."""

    def open(
        self,
        task_id: str,
        config: Mapping[str, Any],
        layout: Any,
        first: int,
        states: Mapping[int, bytes],
        caller: str,
    ) -> dict[str, Any]:
        """Builds the environments.

        Args:
            task_id: What to make.
            config: Options of this slice.
            layout: Of results, see `Plan.actors_layout`.
            first: The first environment of the slice.
            states: What environments, counted in the whole pool, go on with.
            caller: The node of the caller.
        """
        import envpool
        import ray
        from ray.util import get_node_ip_address

        whole = envpool.make(task_id, **config)
        pool = whole.compiled
        pool.set_result_layouts(layout, layout)
        self._whole, self._pool, self._first = whole, pool, first
        self._names: tuple[str, ...] = layout[1]
        self._used: set[int] = set()
        if states:
            pool.load_state([*states.values()], np.asarray([*states], np.int32) - np.int32(first))
        here = caller == ray.get_runtime_context().get_node_id() and sys.platform == "linux"
        host = get_node_ip_address()  # type: ignore[no-untyped-call]
        self._server = Server(None if here else host)
        address = self._server.address
        return {"pid": os.getpid(), "threads": pool.num_threads, "address": address}

    def serve(self, secret: bytes) -> None:
        """Does what the caller asks, one message after the other, until it goes away.

        Args:
            secret: By which it is known.
        """
        try:
            self._server.accept(secret)
            while True:
                name, quiet, args = self._server.receive()
                answer = _tried(getattr(self, name), *args)
                if not quiet:
                    self._server.send(answer)
        except ConnectionError:  # the caller has gone
            return
        finally:
            self._server.close()

    def work(
        self,
        kind: str,
        ids: NDArray[np.int32],
        what: Any,
        save: bool,
    ) -> Answer:
        """Takes a step in some environments, or resets them.

        Args:
            kind: `STEP` or `RESET`.
            ids: Environments, counted in the slice.
            what: The arrays of the action, and the environments of players; or seeds.
            save: Whether states are wanted afterwards.
        """
        began = time.perf_counter()
        failures: list[tuple[int, str]] = []
        try:
            result = self._act(kind, ids, what)
        except WorkerError as error:
            failures = [(env_id + self._first, text) for env_id, text in error.failures]
            if not failures:
                raise RuntimeError(str(error)) from error
            left = self._pool.num_in_flight
            result = self._pool.recv(False) if left else None
        self._used.update(ids.tolist())
        states = self._save(failures) if save else None
        seconds = time.perf_counter() - began
        if result is None:
            return Answer(None, (), {}, failures, states, seconds)
        obs, arrays, info = result
        return Answer(obs, self._in_pool(arrays), info, failures, states, seconds)

    def _act(self, kind: str, ids: NDArray[np.int32], what: Any) -> Any:
        if kind == RESET:
            return self._pool.reset(ids, what)
        arrays, players = what
        if players is not None:
            return self._pool.step({**arrays, "players.env_id": players}, ids)
        return self._pool.step(next(iter(arrays.values())) if len(arrays) == 1 else arrays, ids)

    def _in_pool(self, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arrays, with ids that count in the whole pool."""
        if not self._first:
            return arrays
        return tuple(
            array + np.int32(self._first) if name.endswith("env_id") else array
            for name, array in zip(self._names, arrays, strict=True)
        )

    def _save(self, failures: Sequence[tuple[int, str]]) -> dict[int, bytes]:
        ids = sorted(self._used - {env_id - self._first for env_id, _ in failures})
        self._used.clear()
        saved = self._pool.save_state(np.asarray(ids, np.int32))
        return {env_id + self._first: state for env_id, state in zip(ids, saved, strict=True)}

    def render(self, ids: NDArray[np.int32], width: int, height: int, camera_id: int) -> Any:
        """Frames."""
        return self._pool.render(ids, width, height, camera_id)

    def save_state(self, ids: NDArray[np.int32]) -> Any:
        """States of environments."""
        return self._pool.save_state(ids)

    def load_state(self, ids: NDArray[np.int32], states: Sequence[bytes]) -> None:
        """Takes environments back to saved moments."""
        self._used.update(ids.tolist())
        self._pool.load_state(states, ids)

    def close(self) -> None:
        """Ends the pool."""
        self._pool.close()

    def stall(self) -> None:
        """Answers no more, as an actor that hangs: for tests."""
        os.kill(os.getpid(), signal.SIGSTOP)


def _tried(function: Any, *args: Any) -> Any:
    """What a function returns, or the error of ours that it raised."""
    try:
        return function(*args)
    except EnvPoolError as error:
        return error
