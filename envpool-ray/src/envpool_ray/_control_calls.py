# SPDX-License-Identifier: Apache-2.0
"""ControlCalls: what workers are asked beside steps and resets, of environments that are idle."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from envpool.errors import EnvPoolError, SavedStateError, StateError
from envpool.pool_backend import Ids
from numpy.typing import NDArray

from ._ledger import EnvLedger
from ._request_sender import RequestSender
from ._response_receiver import ResponseReceiver
from ._settings import Settings
from ._slices import Request, Slices, SliceState

_SOON = 5.0  # seconds for which Ctrl-C waits for workers that load states


class ControlCalls:
    """Asks several workers at once; rows of the responses are in the order of the ids."""

    def __init__(
        self,
        settings: Settings,
        slices: Slices,
        ledger: EnvLedger,
        sender: RequestSender,
        receiver: ResponseReceiver,
    ) -> None:
        """Asks nothing yet.

        Args:
            settings: The settings of the pool.
            slices: Its environments' workers.
            ledger: How environments stand.
            sender: Sends, and replaces workers.
            receiver: Waits for them.
        """
        self._settings, self._slices, self._ledger = settings, slices, ledger
        self._sender, self._receiver = sender, receiver

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int
    ) -> NDArray[np.uint8]:
        """Frames."""
        responses = self._ask("render", env_ids, lambda rows: (width, height, camera_id))
        frames = [frame for _, part in responses for frame in part]
        rows = np.concatenate([rows for rows, _ in responses])
        return np.stack([frames[at] for at in np.argsort(rows)])

    def save_state(self, env_ids: NDArray[np.int32]) -> list[bytes]:
        """One state for each id."""
        lost = self._ledger.lost[env_ids]
        if lost.any():
            raise SavedStateError(
                f"save_state of {self._settings.task_id}",
                f"env {env_ids[lost][0]}, whose actor was lost",
                "environments whose episode goes on",
                "Step or reset it first",
            )
        states: list[bytes] = [b""] * len(env_ids)
        for rows, part in self._ask("save_state", env_ids, lambda rows: ()):
            for row, state in zip(rows, part, strict=True):
                states[row] = state
        return states

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32]) -> None:
        """Loads all states, or raises and loads none."""
        ledger = self._ledger
        known = env_ids[(ledger.was_reset & ~ledger.lost)[env_ids]]
        parts = [*self._slices.split(env_ids)]
        # One worker loads all or none; of several, some may have loaded when another refuses.
        before = [] if len(parts) == 1 else self.save_state(known)
        try:
            self._load(states, env_ids)
        except SavedStateError:
            if before:
                self._load(before, known)
            raise
        ledger.load(env_ids)

    def _load(self, states: Sequence[bytes], env_ids: Ids) -> None:
        self._ask("load_state", env_ids, lambda rows: ([states[row] for row in rows],), True)

    def _ask(
        self,
        name: str,
        env_ids: Ids,
        args: Callable[[NDArray[np.intp]], tuple[Any, ...]],
        changes: bool = False,
    ) -> list[tuple[NDArray[np.intp], Any]]:
        """Calls a method in the workers of idle environments; rows of the call and what came."""
        calls = [
            (worker, rows, Request(name, env_ids[rows], args(rows)))
            for worker, rows in self._slices.split(env_ids)
        ]
        for worker, _, request in calls:
            self._sender.ask(worker, request, changes)
        self._await(calls, changes)
        problem: EnvPoolError | None = None
        for worker, _, request in calls:
            if not request.answered:
                problem = StateError(
                    f"{name} of {self._settings.task_id}",
                    f"actor {worker.index}, which was lost",
                    "actors that answer",
                    "Call it again: another actor has been started",
                )
            elif isinstance(request.response, EnvPoolError):
                problem = request.response
        if problem is not None:
            raise problem
        return [(rows, request.response) for _, rows, request in calls]

    def _await(
        self, calls: Sequence[tuple[SliceState, NDArray[np.intp], Request]], changes: bool
    ) -> None:
        """Waits until workers have answered, or were replaced."""

        def done() -> bool:
            return not any(request in worker.pending for worker, _, request in calls)

        if changes:  # an interrupt must not leave it open whether they have: it may wait a little
            self._receiver.gather(done, time.monotonic() + _SOON, interrupts=False)
        try:
            self._receiver.gather(done, None)
        except BaseException:
            for worker, _, request in calls if changes else ():
                if request in worker.pending:
                    self._sender.restart(worker)
            raise
