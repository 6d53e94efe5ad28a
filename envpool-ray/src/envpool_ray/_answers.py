# SPDX-License-Identifier: Apache-2.0
"""Answers: waits for actors, takes what they answer, and sees which do not."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from envpool.errors import EnvPoolError, WorkerError

from ._actor import Answer
from ._batch import DONE, ENV_ID, FINAL_RESTARTED, RESTARTED, Batch
from ._crew import Crew, Member, Message
from ._delivery import Delivery
from ._envs import Envs
from ._results import Results
from ._seen import Seen
from ._settings import Settings
from ._signals import interruptible

_TICK = 0.5  # seconds between two looks at deadlines


class Answers:
    """Turns answers of actors into results."""

    def __init__(
        self,
        settings: Settings,
        crew: Crew,
        envs: Envs,
        seen: Seen,
        results: Results,
        delivery: Delivery,
        names: Sequence[str],
    ) -> None:
        """Waits for nothing yet.

        Args:
            settings: Of the pool.
            crew: The actors.
            envs: How environments stand.
            seen: What the caller saw last.
            results: Takes what comes.
            delivery: Replaces actors.
            names: Of the arrays that actors send.
        """
        self._settings, self._crew, self._names = settings, crew, names
        self._envs, self._seen, self._results = envs, seen, results
        self._delivery = delivery

    def gather(self, enough: Callable[[], bool], until: float | None) -> None:
        """Takes answers until there are enough, or the time is over."""
        while not enough():
            refs = [message.ref for m in self._crew.members for message in m.pending]
            opening = [m.opening for m in self._crew.members if m.opening is not None]
            left = _TICK if until is None else min(_TICK, until - time.monotonic())
            if left < 0 and not refs:
                return
            waiting = [*opening, *refs]
            if not waiting:
                return
            everything = self._settings.sync and not opening
            count = len(refs) if everything else self._least_messages()
            least = max(1, min(count, len(waiting)))
            with interruptible():
                done, _ = self._crew.ray.wait(waiting, num_returns=least, timeout=max(0.0, left))
            if done:
                self._take(set(done))
            self._look_at_deadlines()
            if not done and until is not None and time.monotonic() >= until:
                return

    def _least_messages(self) -> int:
        """How many answers a batch needs at least."""
        missing = self._results.missing
        sizes = sorted((len(m.ids) for o in self._crew.members for m in o.pending), reverse=True)
        count = 0
        while missing > 0 and count < len(sizes):
            missing -= sizes[count]
            count += 1
        return max(1, count)

    def _take(self, done: set[Any]) -> None:
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
        try:
            self._crew.opened(member)
        except (self._crew.ray.exceptions.RayError, EnvPoolError) as cause:
            self._delivery.replace(member, cause)

    def _take_answer(self, member: Member, message: Message) -> bool:
        """Takes the answer to the first message of an actor; False if it was lost."""
        ray = self._crew.ray
        try:
            answer: Answer = ray.get(message.ref)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, EnvPoolError) and not isinstance(cause, WorkerError):
                self._refused(member, message, cause)
                return True
            self._delivery.replace(member, error)
            return False
        except ray.exceptions.RayError as error:
            self._delivery.replace(member, error)
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
            self._envs.fail(np.asarray([env_id for env_id, _ in answer.failures], np.int32))
            self._results.add_failures(answer.failures)
        if len(answer.arrays):
            if len(member.seen) < len(member.ids):
                member.seen.update(message.ids.tolist())
            self._accept(message, self._batch_of(answer))
        return True

    def _refused(self, member: Member, message: Message, cause: EnvPoolError) -> None:
        """An actor refused what was checked here: nothing has happened to the environments."""
        member.pending.popleft()
        if self._settings.every:
            member.log.remove(message)
        self._envs.in_flight[message.ids] = False
        self._results.expect_no_more(message.ids)
        raise cause

    def _batch_of(self, answer: Answer) -> Batch:
        arrays = dict(zip(self._names, answer.arrays, strict=True))
        count = len(arrays[ENV_ID])
        arrays[RESTARTED] = np.zeros(count, np.bool_)
        arrays[FINAL_RESTARTED] = np.zeros(count, np.bool_)
        return Batch(answer.obs, arrays, answer.info)

    def _accept(self, message: Message, batch: Batch) -> None:
        ids = batch.env_ids
        if message.turned:
            batch = self._seen.turned(batch)
        if self._settings.autoreset_mode == "same_step":
            self._envs.running[ids] = True
        else:
            self._envs.running[ids] = ~batch.arrays[DONE]
        if not self._settings.every:
            self._seen.keep(batch)
        self._results.add(batch)

    def _look_at_deadlines(self) -> None:
        """Replaces actors that hang, and gives up those that do not start."""
        now = time.monotonic()
        settings = self._settings
        for member in self._crew.members:
            if member.opening is not None:
                if now - member.since > settings.patience:
                    asked = f"restart of actor {member.index} of {settings.task_id}"
                    self._delivery.give_up(member, self._crew.too_late(asked, 1))
            elif member.pending and member.handle is not None:
                began = max(member.since, member.pending[0].sent)
                if now - began > settings.deadline:
                    late = TimeoutError(f"no answer in {settings.deadline:g} s")
                    self._delivery.replace(member, late)
