# SPDX-License-Identifier: Apache-2.0
"""Checks that a result has the right rows, and that its arrays belong to the caller for good."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ._case import Case
from ._rollout import RECV_TIMEOUT, difference, leaves, row_difference

# More batches than any ring of buffers has.
_KEPT = 24


def check_rows(case: Case) -> None:
    """A step of some environments returns their rows only, in the order of the ids."""
    orders = [[case.num_envs - 1, 0], [1], list(range(case.num_envs))[::-1]]
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        for order in orders:
            rows = actor.step(order)
            case.require(
                list(rows) == order,
                f"step(..., env_id={order}) returned rows of {list(rows)}",
                "Every environment has one row, in the order of the ids",
            )
        for _ in range(4):
            actor.step()
    found = difference(actor.rows, case.reference)
    what = "steps of some environments at a time change episodes"
    case.require_same(found, what, "Look for state that environments share")


def check_batches(case: Case) -> None:
    """A batch of an asynchronous pool has batch_size rows, of environments that were sent."""
    batch_size = max(1, case.num_envs // 2)
    with case.make(batch_size=batch_size, num_threads=2) as pool:
        actor = case.actor(pool)
        pool.async_reset()
        in_flight = set(range(case.num_envs))
        for _ in range(case.steps):
            result = pool.recv(timeout=RECV_TIMEOUT)
            ids = np.asarray(result[4]["env_id"]).tolist()
            case.require(
                len(ids) == len(set(ids)) == batch_size and in_flight >= set(ids),
                f"a batch of {batch_size} has the environments {ids}, in flight were "
                f"{sorted(in_flight)}",
                "Every environment that was sent comes back once",
            )
            actor.keep(result)
            some = ids[: 1 + len(ids) // 2]
            pool.send(actor.action(some), np.asarray(some, np.int32))
            in_flight = (in_flight - set(ids)) | set(some)
            if len(in_flight) < batch_size:
                resting = sorted(set(range(case.num_envs)) - in_flight)
                pool.send(actor.action(resting), np.asarray(resting, np.int32))
                in_flight |= set(resting)
    found = difference(actor.rows, case.reference)
    case.require_same(found, "resting environments change", "Look for state that they share")


def check_send_and_recv(case: Case) -> None:
    """`send` and `recv` equal `step`, in one part or in several; `send` copies actions."""
    half = case.num_envs // 2
    parts = [list(range(half, case.num_envs)), list(range(half))]
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        for number in range(8):
            for part in parts if number % 2 else [list(range(case.num_envs))]:
                action = actor.action(part)
                arrays = leaves(action)
                kept = {name: array.copy() for name, array in arrays.items()}
                pool.send(action, np.asarray(part, np.int32))
                for name, array in arrays.items():
                    case.require(
                        np.array_equal(array, kept[name]),
                        "send() wrote into the action",
                        "It belongs to the caller",
                    )
                    array[...] = 0
            rows = actor.keep(pool.recv(timeout=RECV_TIMEOUT))
            case.require(
                sorted(rows) == list(range(case.num_envs)),
                f"recv() after send() to all environments returned rows of {list(rows)}",
                "Results of several sends are one batch",
            )
    found = difference(actor.rows, case.reference)
    what = "send() and recv(), the action being overwritten between them, differ from step()"
    case.require_same(found, what, "Actions are copied by send()")


def check_action_forms(case: Case) -> None:
    """Actions may be lists, arrays of another dtype or memory order, or a dict that has env_id."""
    forms = {
        # An empty list does not have the length of the missing rows.
        "lists": lambda array: array.tolist() if len(array) else array,
        "a wider dtype": lambda array: array.astype(
            np.float64 if array.dtype.kind == "f" else np.int64
        ),
        "every second row": lambda array: np.repeat(array, 2, axis=0)[::2],
        "another memory order": np.asfortranarray,
    }
    for form, convert in forms.items():
        if form == "a wider dtype" and _has_wide_unsigned(case):
            continue
        for as_dict in (False, True):
            with case.make() as pool:
                actor = case.actor(pool)
                actor.reset()
                for _ in range(4):
                    action = actor.action()
                    if not as_dict and case.spec.options["max_num_players"] > 1:
                        del action["players.env_id"]  # the last result determines it, too
                    action = _convert(case, action, convert, as_dict)
                    actor.keep(pool.step(action))
            found = difference(actor.rows, case.reference)
            what = f"actions as {form}{' in a dict with env_id' if as_dict else ''} differ"
            case.require_same(found, what, "The pool casts them; report this")


def _has_wide_unsigned(case: Case) -> bool:
    return any(spec.dtype == np.uint64 for spec in case.spec.action_array_spec.values())


def _convert(case: Case, action: Any, convert: Any, as_dict: bool) -> Any:
    if isinstance(action, dict):
        action = {name: convert(array) for name, array in action.items()}
    elif as_dict:
        action = {list(case.spec.action_array_spec)[-1]: convert(action)}
    else:
        return convert(action)
    return action | {"env_id": np.arange(case.num_envs)} if as_dict else action


def check_memory(case: Case) -> None:
    """Results are contiguous, writable, share no memory, and are never written again."""
    _check_memory(case, {})
    _check_memory(case, {"batch_size": max(1, case.num_envs // 2)})
    if case.spec.options["max_num_players"] == 1:
        _check_memory(case, {"autoreset_mode": "same_step"})


def _check_memory(case: Case, config: dict[str, Any]) -> None:
    kept: list[tuple[dict[str, Any], dict[str, Any]]] = []
    with case.make(**config) as pool:
        actor = case.actor(pool)
        pool.async_reset()
        for number in range(_KEPT):
            result = pool.recv(timeout=RECV_TIMEOUT)
            rows = actor.keep(result)
            arrays = leaves(result)
            _check_flags(case, arrays, number)
            if number % 2:  # a view must keep its array alive
                arrays = {name: array[:1] for name, array in arrays.items()}
            kept.append((arrays, {name: array.copy() for name, array in arrays.items()}))
            action = actor.action(list(rows))
            del result
            pool.send(action, np.asarray(list(rows), np.int32))
        _check_unchanged(case, kept)
    _check_unchanged(case, kept)
    if config:
        return
    # The caller's writes must not come back, in a row that was not written.
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        for _ in range(case.steps):
            result = pool.step(actor.action())
            actor.keep(result)
            for array in leaves(result).values():
                array[...] = np.ones((), array.dtype)
            del result, array
    advice = "Write every element of every array in Reset and Step"
    what = "writing into results changes later results"
    case.require_same(difference(actor.rows, case.reference), what, advice)


def _check_flags(case: Case, arrays: dict[str, Any], number: int) -> None:
    # By address; an array may be in a result twice, as env_id is in info and final_info.
    by_address: dict[int, tuple[str, Any]] = {}
    for name, array in arrays.items():
        case.require(
            isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable,
            f"batch {number}: {name!r} is no writable C-contiguous array",
            "Results belong to the caller; report this",
        )
        if array.nbytes:
            by_address[array.__array_interface__["data"][0]] = (name, array)
    spans = sorted(by_address.items())
    for (start, (name, array)), (following, (other, _)) in pairwise(spans):
        case.require(
            start + array.nbytes <= following,
            f"batch {number}: {name!r} and {other!r} share memory",
            "Every array has its own; report this",
        )


def _check_unchanged(case: Case, kept: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    for number, (arrays, copies) in enumerate(kept):
        found = row_difference(arrays, copies)
        what = f"batch {number}, which is kept, was overwritten"
        case.require_same(found, what, "A batch is free only when no one can see it; report this")
