# SPDX-License-Identifier: Apache-2.0
"""Express: calls that are like the last ones, which compiled code does without the other parts.

While it is armed, it owns the connections to all actors and knows what is on the way. Any other
call settles it first: then the other parts know all of that, as if they had done it themselves. It
is for results that have the same arrays each time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.errors import StateError
from numpy.typing import NDArray

from . import _native
from ._actions import NUM_COMMON, Rows, Spec
from ._actor import STEP
from ._answers import Answers
from ._batch import DONE, FINAL_RESTARTED, RESTARTED, Batch, Plan, mark_restarted, with_arrays
from ._crew import Crew, Member, Message
from ._delivery import Delivery
from ._line import Line, usual_head, usual_head_of
from ._shared import Chunk, Place
from ._state import State

_FOR = 1.0  # seconds, after which the others look at metrics and deadlines
_MOST_SKIPPED = 1023  # calls after which it is armed again where it was of no use


class Express:
    """The compiled calls of a pool, and their way from and to the other parts."""

    def __init__(self, state: State, plan: Plan, delivery: Delivery, answers: Answers) -> None:
        """Is not armed.

        Args:
            state: Of the pool.
            plan: What actors are asked for.
            delivery: Sends what could not be sent here.
            answers: Takes what is not usual.
        """
        self._settings, self._crew, self._envs, self._seen, self._results = state
        self._plan, self._delivery, self._answers = plan, delivery, answers
        self._names = [*plan.names, *plan.obs_names]
        self._numbers = {field.name: at for at, field in enumerate(self._crew.memory.fields)}
        self._fits = self._is_for_pool()
        self._lines: list[Line | None] = []  # for which `calls` was made
        self._skips = self._skipped = 0
        self.calls: Any = None
        """The compiled part; None while it is not armed."""
        self._made: Any = None

    def arm(self, last_ids: NDArray[np.int32] | None, last_owner: int | None) -> None:
        """Takes the next calls, if all is as usual.

        Args:
            last_ids: Environments of the results that came last.
            last_owner: The number of their actor; None: they are of several.
        """
        if not self._fits or self.calls is not None:
            return
        if self._skipped < self._skips:
            self._skipped += 1
            return
        crew, results, last = self._crew, self._results, None
        if not (self._settings.sync or last_ids is None or self._envs.in_flight[last_ids].any()):
            if last_owner is None:
                return  # the caller will send to several actors
            last = (last_owner, last_ids)
        if crew.opening or not results.is_empty() or self._envs.is_any_out_of_play():
            return
        requests: list[Any] = []
        for index, member in enumerate(crew.members):
            line = member.line
            if line is None or not line.idle:
                return
            for message in member.pending:
                if not self._is_usual(member, message):
                    return
                requests.append(self._request(index, message))
        if self._settings.sync and requests:
            return
        lines = [member.line for member in crew.members]
        if lines != self._lines:
            self._made, self._lines = self._new(), lines
        for index, member in enumerate(crew.members):
            for (shared, rows), (told, kinds) in member.answers.items():
                if not self._made.expects(index, shared, rows):
                    self._expect(index, shared, rows, told, kinds)
        for member in crew.members:
            member.pending.clear()
        self.calls = self._made
        self.calls.arm(requests, last, time.monotonic() + _FOR)

    def settle(self) -> tuple[NDArray[np.int32], int | None] | None:
        """Gives all back to the other parts.

        Returns:
            The environments of what the caller was given last, and the number of their actor, or
            None if they were sent again; None if nothing was given.

        Raises:
            StateError: If a call goes on: this is one of a handler of a signal.
        """
        calls = self.calls
        if calls.busy:
            raise StateError(
                f"use of {self._settings.task_id}",
                "a call from within another call of the same pool (a signal handler?)",
                "one call at a time",
                "Leave the handler first",
            )
        self.calls, self._skipped = None, 0
        self._skips = 0 if calls.count else min(2 * self._skips + 1, _MOST_SKIPPED)
        last = calls.last
        envs, now = self._envs, time.monotonic()
        lanes = calls.settle()
        envs.receive(envs.in_flight.nonzero()[0].astype(np.int32))
        late: list[tuple[Member, Message]] = []
        for member, (steps, seconds, given, sent, *_) in zip(
            self._crew.members, lanes, strict=True
        ):
            member.steps += steps
            member.seconds += seconds
            if steps:
                member.since, member.losses = now, 0
            for ids, arrays in given:
                self._see(member, self._batch(member, arrays, ids), ids)
            for request in sent:
                self._take_request(member, request, late)
        begun = []
        for member, (*_, came, rest) in zip(self._crew.members, lanes, strict=True):
            if came or rest:
                self._crew.put_back(member, came, rest)
                begun.append(member)
        for member, message in late:
            self._delivery.give(member, message)
        for member in begun:  # last, since an answer may be an error
            self._answers.take(member)
        if last is None:
            return None
        owner, ids, again = last
        return ids, None if again else owner

    def retire(self) -> None:
        """Is of no more use: the pool closes."""
        if self.calls is not None:
            self.calls.retire()
        self.calls = self._made = None
        self._fits, self._lines = False, []

    def _is_for_pool(self) -> bool:
        settings = self._settings
        specs = [Spec.of(array) for array in settings.actions[NUM_COMMON:]]
        return (
            hasattr(_native, "Express")
            and settings.max_players == 1
            and settings.every == 0
            and settings.autoreset_mode == "next_step"
            and len(specs) == 1
            and specs[0].dtype.itemsize in (4, 8)
            and (specs[0].dtype.kind == "f" or specs[0].most is not None)
            and all(name in self._numbers for name in self._names)
        )

    def _new(self) -> Any:
        settings, crew = self._settings, self._crew
        spec = Spec.of(settings.actions[NUM_COMMON])
        most = [] if spec.most is None else np.broadcast_to(spec.most, spec.item).ravel().tolist()
        return _native.Express(
            lanes=[
                (m.line.fileno(), int(m.first), len(m.ids), m.local) for m in crew.members if m.line
            ],
            fields=[(field.dtype, list(field.item)) for field in crew.memory.fields],
            tree=_with_numbers(self._plan.step, self._numbers),
            action_dtype=spec.dtype,
            action_item=list(spec.item),
            action_most=most,
            batch_size=0 if settings.sync else settings.batch_size,
            chunk_rows=crew.memory.rows,
            lease=crew.memory.lease,
            head=_Heads(crew, settings.actions[NUM_COMMON][0], spec),
        )

    def _is_usual(self, member: Member, message: Message) -> bool:
        key = (message.place is not None, len(message.ids))
        return (
            message.kind == STEP
            and not (message.answered or message.turned or message.save)
            and message.what.players is None
            and key in member.answers
        )

    def _request(self, index: int, message: Message) -> tuple[Any, ...]:
        (action,) = message.what.arrays.values()
        place = None if message.place is None else tuple(message.place)
        return (index, message.ids, np.ascontiguousarray(action), place, message.sent, message)

    def _expect(self, index: int, shared: bool, rows: int, told: Any, kinds: Any) -> None:
        fields = [] if shared else [self._numbers[name] for name in self._names]
        if len(kinds) != len(fields) + 1:
            return  # of an actor that could not share
        self._made.expect(index, shared, rows, usual_head_of(told, kinds), fields)

    def _batch(
        self, member: Member, arrays: Sequence[NDArray[Any]], ids: NDArray[np.int32]
    ) -> Batch:
        ordered = [arrays[self._numbers[name]] for name in self._names]
        named = dict(zip(self._plan.names, ordered, strict=False))
        mark_restarted(named, len(named[DONE]))
        batch = Batch(with_arrays(self._plan.obs_tree, ordered), named, {}, member.index)
        batch.env_ids = ids  # the caller may have changed those among the arrays
        if batch.players is not None:
            batch.players = ids
        return batch

    def _see(self, member: Member, batch: Batch, ids: NDArray[np.int32]) -> None:
        self._envs.running[ids] = ~batch.arrays[DONE]
        self._seen.keep(member.index, batch, len(ids) == len(member.ids))
        if len(member.seen) < len(member.ids):
            member.seen.update(ids.tolist())

    def _take_request(
        self, member: Member, request: Any, late: list[tuple[Member, Message]]
    ) -> None:
        ids, action, place, sent, message, delivered, arrays = request
        self._envs.send(ids)
        self._results.expect(ids)
        if arrays is not None:
            batch = self._batch(member, arrays, ids)
            self._see(member, batch, ids)
            member.steps += len(ids)
            self._results.add(batch)
            return
        if message is None:
            name = self._settings.actions[NUM_COMMON][0]
            where = None if place is None else Place(*place)
            message = Message(STEP, ids, Rows({name: action}, None), place=where)
            message.sent = sent
        member.pending.append(message)
        if not delivered:
            late.append((member, message))


class _Heads:
    """Makes the heads of messages; keeps nothing of a pool but its actors."""

    def __init__(self, crew: Crew, action: str, spec: Spec) -> None:
        self._crew, self._action, self._spec = crew, action, spec

    def __call__(self, index: int, rows: int, chunk: Chunk | None, row: int) -> bytes | None:
        line = self._crew.members[index].line
        try:
            if line is None or (chunk is not None and not line.share(chunk)):
                return None
        except OSError:  # it is lost: other parts see that, too, and replace the actor
            return None
        at = None if chunk is None else (chunk.number, row)
        ids = (np.dtype(np.int32), (rows,))
        kinds = (ids, (self._spec.dtype, (rows, *self._spec.item)))
        return usual_head(("work", False, (STEP, (self._action,), False, at)), kinds)


def _with_numbers(layout: Any, numbers: dict[str, int]) -> Any:
    """A layout whose names are numbers of fields; True and False are arrays of that."""
    if isinstance(layout, str):
        if layout == "*":
            return True
        return False if layout in (RESTARTED, FINAL_RESTARTED) else numbers[layout]
    if isinstance(layout, dict):
        return {key: _with_numbers(leaf, numbers) for key, leaf in layout.items()}
    if isinstance(layout, (tuple, list)):
        return type(layout)([_with_numbers(leaf, numbers) for leaf in layout])
    return layout  # a class, or None
