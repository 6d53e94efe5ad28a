# SPDX-License-Identifier: Apache-2.0
"""Delivery: messages to actors, and to those that take the place of lost ones.

An actor takes its messages in order, so environments see the same actions in the same order as in
one process. Whatever becomes of an actor, each of its messages is answered in the end: by it, by
its successor, by a row of an episode that was cut off, or by a failure.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np
from envpool.errors import EnvPoolError
from numpy.typing import NDArray

from ._actions import Ids
from ._actor import RESET, STEP
from ._crew import Member, Message, reason
from ._shared import Place
from ._state import State

MAX_LOSSES = 3
"""Actors of a slice that may be lost without an answer between, until that is an error. Those that
never ran, as where Ray does not know yet that a node has gone, have `start_timeout` instead."""


class Delivery:
    """Gives actors what they have to do."""

    def __init__(self, state: State, per_player: frozenset[str]) -> None:
        """Sends nothing yet.

        Args:
            state: Of the pool.
            per_player: Arrays of an action that have a row for each player.
        """
        self._settings, self._crew, self._envs, self._seen, self._results = state
        self._per_player = per_player

    def send(self, kind: str, ids: Ids, what: Any, owner: int | None = None) -> None:
        """Sends what was checked to the actors of some environments, one message each.

        Args:
            kind: `STEP` or `RESET`.
            ids: The environments.
            what: Rows of an action, or seeds.
            owner: The number of the actor of all of them, if it is known to be one.
        """
        if not len(ids):
            return
        envs = self._envs
        envs.send(ids)
        self._results.expect(ids)
        if kind == RESET:
            envs.broken[ids] = envs.lost[ids] = False
        if np.count_nonzero(envs.unstarted):
            envs.unstarted[ids] = False
        common = self._crew.memory.lease(len(ids)) if self._settings.sync else None
        if owner is not None:
            self._post(self._crew.members[owner], kind, ids, what, common)
            return
        for member, rows in self._crew.split(ids):
            if len(rows) == len(ids):
                self._post(member, kind, ids, what, common)
            else:
                part = self._part(kind, what, rows, ids[rows])
                self._post(member, kind, ids[rows], part, common)

    def replace(self, member: Member, cause: BaseException) -> None:
        """An actor is lost: starts another one, unless that has not helped."""
        if member.line is None and not isinstance(cause, self._crew.ray.exceptions.RayTaskError):
            member.trouble = reason(cause)
        else:
            member.losses += 1
        if member.losses > MAX_LOSSES or isinstance(cause, EnvPoolError):
            self.give_up(member, cause)
            return
        self.restart(member)

    def restart(self, member: Member) -> None:
        """Starts another actor, and brings its environments back as far as possible."""
        if member.opening is None:  # the time of one that never started goes on
            member.since = time.monotonic()
        self._crew.end(member)
        member.restarts += 1
        self._crew.start(member)
        again, member.pending = member.pending, deque()
        if self._settings.every:  # it has its states, and is sent the messages since, when it opens
            member.pending += [message for message in again if message.plays]
            member.log = [message for message in member.log if message.plays or message.answered]
            return
        envs = self._envs
        envs.lost[member.ids] = envs.running[member.ids]
        for message in again:
            if not message.plays:
                continue
            if message.kind == RESET:
                envs.lost[message.ids] = False
                self._put(member, Message(RESET, message.ids, message.what, message.turned))
            else:
                self._post(member, STEP, message.ids, message.what)

    def give_up(self, member: Member, cause: BaseException) -> None:
        """An actor cannot be replaced: what it had to do has failed.

        With checkpoints all its environments have: what was seen last of them is not kept, and the
        last checkpoint without the messages since would be another moment.
        """
        self._crew.end(member)
        text = f"actor {member.index} was lost and cannot be replaced: {reason(cause)}"
        failed = [message.ids for message in member.pending if message.plays]
        if self._settings.every:
            failed = [member.ids]
        for ids in failed:
            self._envs.fail(ids)
            self._results.add_failures([(env_id, text) for env_id in ids.tolist()])
        member.pending.clear()
        member.log.clear()
        self._envs.lost[member.ids] = self._envs.running[member.ids]

    def ask(self, member: Member, message: Message, changes: bool) -> None:
        """Sends one actor what is no step; it is dropped if the actor is lost before it answers.

        Args:
            member: The actor.
            message: What it is asked.
            changes: Whether an actor that takes its place has to do the same.
        """
        self.revive(member)
        member.pending.append(message)
        if changes and self._settings.every:
            member.log.append(message)
        self.give(member, message)

    def revive(self, member: Member) -> bool:
        """Tries again with an actor that was given up; False if it was not."""
        if member.handle is not None:
            return False
        member.losses = 0
        self.restart(member)
        return True

    def _post(
        self, member: Member, kind: str, ids: Ids, what: Any, common: Place | None = None
    ) -> None:
        """Sends one actor its message; rows of lost episodes are made here.

        Args:
            member: The actor.
            kind: `STEP` or `RESET`.
            ids: The environments.
            what: Rows of an action, or seeds.
            common: Of a synchronous pool: the place of the results of all actors.
        """
        envs = self._envs
        if kind == STEP and np.count_nonzero(envs.lost) and envs.lost[ids].any():
            gone, rows = ids[envs.lost[ids]], np.flatnonzero(~envs.lost[ids])
            envs.lost[gone] = False
            if self._settings.autoreset_mode == "same_step":
                self._put(member, Message(RESET, gone, None, turned=True))
            else:
                envs.running[gone] = False
                for env_id in gone.tolist():
                    self._results.add(self._seen.cut_off(member.index, env_id))
            ids, what = ids[rows], self._part(kind, what, rows, ids[rows])
        if not len(ids):
            return
        if self._settings.sync:
            place = None if common is None else common._replace(row=int(member.first))
        else:
            place = self._crew.memory.lease(len(ids))
        self._put(member, Message(kind, ids, what, place=place))

    def _put(self, member: Member, message: Message) -> None:
        member.pending.append(message)
        every = self._settings.every
        if every:
            member.unsaved += 1
            if member.unsaved >= every:
                message.save, member.unsaved = True, 0
            member.log.append(message)
        if self.revive(member):  # the message with it
            return
        self.give(member, message)

    def give(self, member: Member, message: Message) -> None:
        """Sends an actor a message that it has to answer."""
        try:
            self._crew.send(member, message)
        except OSError as error:
            self.replace(member, self._crew.cause(member, error))

    def _part(self, kind: str, what: Any, rows: NDArray[np.intp], ids: Ids) -> Any:
        if kind == RESET:
            return None if what is None else [what[row] for row in rows]
        return what.take(rows, ids, self._per_player)
