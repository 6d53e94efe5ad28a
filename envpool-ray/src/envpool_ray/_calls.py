# SPDX-License-Identifier: Apache-2.0
"""Calls: what actors are asked beside steps and resets, while their environments are idle."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from envpool.errors import EnvPoolError, SavedStateError, StateError
from numpy.typing import NDArray

from ._actions import Ids
from ._answers import Answers
from ._crew import Member, Message
from ._delivery import Delivery
from ._state import State

_SOON = 5.0  # seconds for which Ctrl-C waits for actors that load states


class Calls:
    """Asks several actors at once; rows of the answers are in the order of the ids."""

    def __init__(self, state: State, delivery: Delivery, answers: Answers) -> None:
        """Asks nothing yet.

        Args:
            state: Of the pool.
            delivery: Sends, and replaces actors.
            answers: Waits for them.
        """
        self._settings, self._crew, self._envs = state.settings, state.crew, state.envs
        self._delivery, self._answers = delivery, answers

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int
    ) -> NDArray[np.uint8]:
        """Frames."""
        if not len(env_ids):
            return np.zeros((0, height, width, 3), np.uint8)
        answers = self._ask("render", env_ids, lambda rows: (width, height, camera_id))
        frames = [frame for _, part in answers for frame in part]
        rows = np.concatenate([rows for rows, _ in answers])
        return np.stack([frames[at] for at in np.argsort(rows)])

    def save_state(self, env_ids: NDArray[np.int32]) -> list[bytes]:
        """One state for each id."""
        lost = self._envs.lost[env_ids]
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
        if len(states) != len(env_ids):
            raise SavedStateError(
                f"load_state of {self._settings.task_id}",
                f"{len(states)} states for {len(env_ids)} environments",
                "one state for each environment",
                "Pass env_ids",
            )
        envs = self._envs
        envs.check(env_ids, "load_state of", envs.in_flight)
        known = env_ids[~(envs.unstarted | envs.broken | envs.lost)[env_ids]]
        parts = [*self._crew.split(env_ids)]
        # One actor loads all or none; of several, some may have loaded when another refuses.
        before = [] if len(parts) == 1 else self.save_state(known)
        try:
            self._load(states, env_ids)
        except SavedStateError:
            if before:
                self._load(before, known)
            raise
        envs.lost[env_ids] = envs.broken[env_ids] = envs.unstarted[env_ids] = False
        envs.running[env_ids] = True

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
        envs, settings = self._envs, self._settings
        envs.check(env_ids, f"{name} of", envs.in_flight | envs.broken, StateError, False)
        calls = [
            (member, rows, Message(name, env_ids[rows], args(rows)))
            for member, rows in self._crew.split(env_ids)
        ]
        for member, _, message in calls:
            self._delivery.ask(member, message, changes)
        self._await(calls, changes)
        problem: EnvPoolError | None = None
        for member, _, message in calls:
            if not message.answered:
                problem = StateError(
                    f"{name} of {settings.task_id}",
                    f"actor {member.index}, which was lost",
                    "actors that answer",
                    "Call it again: another actor has been started",
                )
            elif isinstance(message.answer, EnvPoolError):
                problem = message.answer
        if problem is not None:
            raise problem
        return [(rows, message.answer) for _, rows, message in calls]

    def _await(
        self, calls: Sequence[tuple[Member, NDArray[np.intp], Message]], changes: bool
    ) -> None:
        """Waits until actors have answered, or were replaced."""

        def done() -> bool:
            return not any(message in member.pending for member, _, message in calls)

        if changes:  # an interrupt must not leave it open whether they have: it may wait a little
            self._answers.gather(done, time.monotonic() + _SOON, interrupts=False)
        try:
            self._answers.gather(done, None)
        except BaseException:
            for member, _, message in calls if changes else ():
                if message in member.pending:
                    self._delivery.restart(member)
            raise
