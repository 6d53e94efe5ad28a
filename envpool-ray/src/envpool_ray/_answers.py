# SPDX-License-Identifier: Apache-2.0
"""Answers: waits for actors, takes what they answer, and sees which do not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from envpool.errors import EnvPoolError

from ._actor import Answer
from ._batch import DONE, ENV_ID, Batch, Plan, mark_restarted, with_arrays
from ._crew import Member, Message
from ._delivery import Delivery
from ._line import Told
from ._shared import Place, Rows
from ._signals import Interruptible
from ._state import State

_TICK = 0.5  # seconds between two looks at deadlines
_TICK_OF_STARTS = 0.1  # and at actors that start, which only Ray knows of


class Answers:
    """Turns answers of actors into results."""

    def __init__(self, state: State, delivery: Delivery, plan: Plan) -> None:
        """Waits for nothing yet.

        Args:
            state: Of the pool.
            delivery: Replaces actors.
            plan: What actors are asked for.
        """
        self._settings, self._crew, self._envs, self._seen, self._results = state
        self._delivery, self._names, self._obs_tree = delivery, plan.names, plan.obs_tree
        self._ids_at = plan.names.index(ENV_ID)
        self._next_look = 0.0

    def gather(
        self, enough: Callable[[], bool], until: float | None, interrupts: bool = True
    ) -> None:
        """Takes answers until there are enough, or the time is over."""
        while not enough():
            opening = self._crew.opening
            if not opening and not any(m.pending for m in self._crew.members):
                return
            left = _TICK_OF_STARTS if opening else _TICK
            if until is not None:
                left = max(0.0, min(left, until - time.monotonic()))
            with Interruptible() if interrupts else nullcontext():
                ready = self._crew.ready(left)
            for member in ready:
                self.take(member)
            if opening:
                self._crew.check_connected()
                started, _ = self._crew.ray.wait([*opening], num_returns=len(opening), timeout=0)
                for ref in started:
                    self._take_opening(opening[ref])
            if not ready:
                for member in self._crew.lost():
                    self._lost(member, ConnectionError("the actor was lost"))
            now = time.monotonic()
            if not ready or now >= self._next_look:
                self._look_at_deadlines(now)
            if not ready and until is not None and now >= until:
                return

    def _take_opening(self, member: Member) -> None:
        try:
            self._crew.opened(member)
        except (self._crew.ray.exceptions.RayError, EnvPoolError, OSError) as cause:
            self._delivery.replace(member, cause)

    def take(self, member: Member) -> None:
        """Takes what has come from an actor."""
        line = member.line
        try:
            if line is not None:
                if line.sending:
                    line.flush()
                received = line.receive()
                if received is not None:
                    self._take_answer(member, member.pending[0], *received)
        except OSError as error:
            self._lost(member, error)

    def _lost(self, member: Member, error: OSError) -> None:
        self._delivery.replace(member, self._crew.cause(member, error))

    def _take_answer(self, member: Member, message: Message, head: Told, arrays: list[Any]) -> None:
        """Takes the answer to the first message of an actor."""
        member.since, member.losses = time.monotonic(), 0
        place, message.place = message.place, None
        message.answered, told = True, head.value
        if not message.plays:
            member.pending.popleft()
            message.answer = told
            if isinstance(told, EnvPoolError) and message in member.log:
                member.log.remove(message)
            return
        if isinstance(told, EnvPoolError):
            self._refused(member, message, told)
        answer = Answer(*told)
        member.pending.popleft()
        member.steps += len(message.ids)
        member.seconds += float(arrays[-1][0])
        if answer.states is not None:
            member.states |= answer.states
            member.log = member.log[member.log.index(message) + 1 :]
        if answer.failures:
            self._envs.fail(np.asarray([env_id for env_id, _ in answer.failures], np.int32))
            self._results.add_failures(answer.failures)
        if len(arrays) > 1 or head.shared:
            if len(member.seen) < len(member.ids):
                member.seen.update(message.ids.tolist())
            if (
                len(told) == 1
                and (key := (place is not None, len(message.ids))) not in member.answers
            ):
                kinds = tuple([(array.dtype, array.shape) for array in arrays])
                member.answers[key] = head, kinds
            self._accept(member, message, self._batch_of(member, answer, head, arrays, place))

    def _refused(self, member: Member, message: Message, cause: EnvPoolError) -> None:
        """An actor refused what was checked here: nothing has happened to the environments."""
        member.pending.popleft()
        if self._settings.every:
            member.log.remove(message)
        self._envs.receive(message.ids)
        self._results.expect_no_more(message.ids)
        raise cause

    def _batch_of(
        self, member: Member, answer: Answer, head: Told, arrays: list[Any], place: Place | None
    ) -> Batch:
        memory = self._crew.memory
        obs = self._obs_tree if type(answer.obs) is int else answer.obs
        if place is not None and len(arrays) == 1 and not answer.info:
            envs = head.counts[self._ids_at]
            rows = Rows(memory, place, envs, head.numbers, head.counts)
            return Batch.lying(rows, self._names, obs, member.index)
        for at, number, count in head.shared:
            assert place is not None
            arrays.insert(at, memory.fields[number].array(place.body, place.row, count))
        named = dict(zip(self._names, arrays, strict=False))  # those of obs and info follow
        mark_restarted(named, len(named[ENV_ID]))
        info = with_arrays(answer.info, arrays) if answer.info else {}
        return Batch(with_arrays(obs, arrays), named, info, member.index)

    def _accept(self, member: Member, message: Message, batch: Batch) -> None:
        ids = batch.env_ids
        if message.turned:
            batch = self._seen.turned(member.index, batch)
        if self._settings.autoreset_mode == "same_step":
            self._envs.running[ids] = True
        else:
            self._envs.running[ids] = ~batch.array(DONE)
        if not self._settings.every:
            self._seen.keep(member.index, batch, len(batch) == len(member.ids))
        self._results.add(batch)

    def _look_at_deadlines(self, now: float) -> None:
        """Replaces actors that hang, and gives up those that do not start."""
        self._next_look = now + _TICK
        settings = self._settings
        for member in self._crew.members:
            if member.opening is not None:
                if now - member.since > settings.patience:
                    asked = f"restart of actor {member.index} of {settings.task_id}"
                    self._delivery.give_up(member, self._crew.too_late(asked, 1, member.trouble))
            elif member.pending and member.handle is not None:
                began = max(member.since, member.pending[0].sent)
                if now - began > settings.deadline:
                    late = TimeoutError(f"no answer in {settings.deadline:g} s")
                    self._delivery.replace(member, late)
