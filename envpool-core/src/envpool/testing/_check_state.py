# SPDX-License-Identifier: Apache-2.0
"""Checks that a saved state holds the whole future of an environment."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..errors import SavedStateError
from ._case import Case
from ._rollout import Actor, Rollout, difference

_ADVICE = "Write every member that Reset or Step use in SaveState, and read it in LoadState"
_HALF = 5


def check_save_and_load(case: Case) -> None:
    """A loaded state continues exactly as before, in this pool and in any other of the task."""
    if not case.spec.env.saves:
        with case.make() as pool:
            call = "save_state() of a task that cannot be saved"
            case.actor(pool).reset()
            case.require_error(SavedStateError, call, pool.save_state, case.task_id)
        return
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        for number in range(0, case.steps, _HALF):
            states = pool.save_state()
            moment = actor.moment()
            expected = _play(actor)
            pool.load_state(states)
            actor.go_back(moment)
            found = difference(_play(actor), expected)
            what = f"after {number} steps, load_state() of the same pool"
            case.require_same(found, what, _ADVICE)
    with case.make(seed=case.seed + 1000) as pool:
        other = case.actor(pool)
        other.run(_HALF)
        pool.load_state(states)
        other.go_back(moment)
        found = difference(_play(other), expected)
        case.require_same(found, "load_state() into another pool", _ADVICE)
        pool.load_state(states[:1], [1])
        case.require(
            pool.save_state([1]) == states[:1],
            "save_state() after load_state() of another environment's state gave other bytes",
            _ADVICE,
        )


def check_damaged_states(case: Case) -> None:
    """Bytes that are no saved state of the task are refused, and nothing is changed."""
    if not case.spec.env.saves:
        return
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        actor.step()
        good = pool.save_state()
        moment = actor.moment()
        before = _play(actor)
        pool.load_state(good)
        size = len(good[0])
        wrong: dict[str, list[Any]] = {
            "no bytes": [b""],
            "one byte less": [good[0][:-1]],
            "one byte more": [good[0] + b"\0"],
            "half of the bytes": [good[0][: size // 2]],
            "other bytes": [bytes(size)],
            "a str": ["state"],
            "two states for one environment": good[:2],
            "no state": [],
        }
        for at in sorted({0, size // 4, size // 2, 3 * size // 4, size - 1}):
            flipped = bytearray(good[0])
            flipped[at] ^= 0x10
            wrong[f"a flipped bit in byte {at}"] = [bytes(flipped)]
        for what, states in wrong.items():
            call = f"load_state() with {what}"
            load = partial(pool.load_state, states, [0])
            case.require_error(SavedStateError, call, load, "load_state")
        mixed = [good[0], b"damaged"]
        call = "load_state() with one good and one damaged state"
        case.require_error(SavedStateError, call, partial(pool.load_state, mixed, [1, 0]))
        case.require(
            pool.save_state() == good,
            "load_state() that was refused changed environments",
            "All states are looked at before the first one is loaded",
        )
        actor.go_back(moment)
        found = difference(_play(actor), before)
        case.require_same(found, "refused states changed what came after", _ADVICE)


def _play(actor: Actor) -> Rollout:
    """The rows of the next steps."""
    actor.rows = {env_id: [] for env_id in actor.rows}
    for _ in range(_HALF + 1):
        actor.step()
    return actor.rows
