# SPDX-License-Identifier: Apache-2.0
"""Envs: how each environment of a pool stands, and what may be asked of it."""

from __future__ import annotations

import numpy as np
from envpool.errors import EnvIdError, EnvPoolError, StateError
from numpy.typing import NDArray

from ._actions import Ids


class Envs:
    """Flags, each an array with an element for each environment.

    Attributes:
        in_flight: It was sent, and its result was not received.
        num_in_flight: How many were.
        changes: How often environments were sent, or have failed.
        running: The caller sees an episode that is not over.
        lost: Such an episode was lost with its actor, and the caller does not know.
        broken: It failed.
        unstarted: There is nothing to save.
    """

    def __init__(self, num_envs: int, task_id: str) -> None:
        """None has started."""
        self._task_id = task_id
        self._place = np.zeros(num_envs, np.intp)
        self.in_flight = np.zeros(num_envs, np.bool_)
        self.num_in_flight = self.changes = 0
        self.running = np.zeros(num_envs, np.bool_)
        self.lost = np.zeros(num_envs, np.bool_)
        self.broken = np.zeros(num_envs, np.bool_)
        self.unstarted = np.ones(num_envs, np.bool_)

    def send(self, ids: Ids) -> None:
        """They are sent."""
        self.changes += 1
        self.in_flight[ids] = True
        self.num_in_flight = int(np.count_nonzero(self.in_flight))

    def receive(self, ids: Ids) -> None:
        """Their results are received, or will not come."""
        self.in_flight[ids] = False
        self.num_in_flight = int(np.count_nonzero(self.in_flight))

    def fail(self, ids: Ids) -> None:
        """They have failed, and will have no result."""
        self.changes += 1
        self.receive(ids)
        self.running[ids] = False
        self.broken[ids] = True

    def is_any_out_of_play(self) -> bool:
        """Whether there is one that cannot be stepped as the others."""
        return bool((self.lost | self.broken | self.unstarted).any())

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
        asked = f"{call} {self._task_id}"
        if once:
            order = np.arange(len(ids))
            self._place[ids] = order
            twice = self._place[ids] != order
            if np.count_nonzero(twice):
                raise EnvIdError(
                    asked,
                    f"env {ids[twice].min()} twice",
                    "every env id once per call",
                    "Remove the duplicate",
                )
        if not np.count_nonzero(wrong[ids]):
            return
        first = ids[wrong[ids]][0]
        if self.in_flight[first]:
            raise busy(
                asked,
                f"env {first}, which is in flight",
                "environments whose result was received",
                "Call recv() first",
            )
        raise StateError(
            asked, f"env {first}, which failed before", "environments that run", "Reset it first"
        )

    def check_episodes(self, ids: Ids) -> None:
        """Refuses a step where no episode goes on, as far as the caller knows."""
        goes_on = (self.running | self.lost)[ids]
        if not goes_on.all():
            raise StateError(
                f"step or send to {self._task_id}",
                f"env {ids[~goes_on][0]}, whose episode is over or has not begun",
                "running episodes, since autoreset_mode is 'disabled'",
                "Reset it first",
            )
