# SPDX-License-Identifier: Apache-2.0
"""Checks that wrong calls are refused, with a helpful error, and change nothing."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .._pools.make import make
from .._specs.arrays import ArraySpec
from ..errors import (
    ActionError,
    ConfigError,
    EnvIdError,
    EnvPoolError,
    RecvTimeoutError,
    StateError,
    UnknownTaskError,
)
from ._case import Case
from ._rollout import RECV_TIMEOUT, Actor, difference

_UNHARMED = "A refused call must do nothing at all"


def check_bad_options(case: Case) -> None:
    """`make` refuses options that are unknown, of a wrong type or out of range."""

    def refuse(error: type[EnvPoolError], *mentions: object, **config: Any) -> None:
        def call() -> None:
            make(case.task_id, **{**case.config, **config}).close()

        case.require_error(error, f"make({case.task_id!r}, **{config})", call, *mentions)

    refuse(ConfigError, "num_envss", "num_envs", num_envss=1)
    refuse(ConfigError, "num_envs", 0, num_envs=0)
    refuse(ConfigError, "num_envs", "many", num_envs="many")
    refuse(ConfigError, "batch_size", 3, num_envs=2, batch_size=3)
    refuse(ConfigError, "max_episode_steps", max_episode_steps=0)
    refuse(ConfigError, "seed", -1, seed=-1)
    refuse(ConfigError, "env_seed", num_envs=2, env_seed=[1])
    refuse(ConfigError, "autoreset_mode", "never", autoreset_mode="never")
    refuse(ConfigError, "render_mode", "ascii", render_mode="ascii")
    refuse(ConfigError, "env_type", "vectors", env_type="vectors")
    misspelt = f"{case.task_id}x"
    case.require_error(
        UnknownTaskError, f"make({misspelt!r})", lambda: make(misspelt), misspelt, case.task_id
    )


def check_bad_actions(case: Case) -> None:
    """Actions of a wrong shape, dtype or value are refused, and nothing is sent."""
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        actor.step()
        arrays = _as_dict(case, actor.action())
        for name, spec in case.spec.own_actions.items():
            for what, wrong in _wrong_arrays(spec, arrays[name]):
                action = {**arrays, name: wrong}
                call = f"step with {what} for {name!r}"
                case.require_error(ActionError, call, partial(pool.step, action), name)
            without = {key: array for key, array in arrays.items() if key != name}
            call = f"step without {name!r}"
            case.require_error(ActionError, call, partial(pool.step, without), name)
        more = {**arrays, "no_such_action": arrays[name]}
        call = "step with an unknown key"
        case.require_error(ActionError, call, lambda: pool.step(more), "no_such_action")
        case.require_error(ActionError, "step(None)", lambda: pool.step(None))
        _check_unharmed(case, actor, "refused actions")


def _as_dict(case: Case, action: Any) -> dict[str, Any]:
    if isinstance(action, dict):
        return action
    return {list(case.spec.action_array_spec)[-1]: action}


def _wrong_arrays(spec: ArraySpec, good: Any) -> Iterator[tuple[str, Any]]:
    """Arrays that must be refused, with their error."""
    yield "one row too few", good[:-1]
    yield "one row too many", np.concatenate([good, good[:1]])
    yield "dimensions too many", good[..., None, None]  # one more stands for a column of numbers
    yield "strings", np.full(good.shape, "a")
    yield "complex numbers", good.astype(np.complex128)
    yield "objects", np.full(good.shape, None)
    yield "a ragged list", [[0], [0, 1]]
    yield "a NaN", _with_last(good if spec.dtype.kind == "f" else good.astype(np.float64), np.nan)
    if spec.dtype.kind == "f":
        return
    yield "a fraction", _with_last(good.astype(np.float64), 0.5)
    yield "an infinity", _with_last(good.astype(np.float64), np.inf)
    if spec.dtype.kind == "b":
        return
    for bound, beyond in ((spec.minimum, -1), (spec.maximum, 1)):
        value = int(bound.reshape(-1)[-1]) + beyond
        if -(2**63) <= value < 2**63:
            yield f"{value}, which is out of range,", _with_last(good.astype(np.int64), value)


def _with_last(array: Any, value: object) -> Any:
    wrong = array.copy()
    wrong.reshape(-1)[-1] = value
    return wrong


def check_bad_env_ids(case: Case) -> None:
    """Ids out of range, given twice, in flight or of a wrong type are refused."""
    beyond = case.num_envs
    ids: dict[str, Any] = {
        "an id out of range": [0, beyond],
        "a negative id": [0, -1],
        "an id of more than 32 bits": [0, 2**32],
        "an id twice": [1, 1],
        "fractions": [0.0, 0.5],
        "strings": ["0", "1"],
        "two dimensions": [[0], [1]],
        "a mask": [True, False],
    }
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        actor.step()
        action = actor.action([0, 1])
        for what, wrong in ids.items():
            calls = {
                "step": partial(pool.step, action, wrong),
                "send": partial(pool.send, action, wrong),
                "reset": partial(pool.reset, wrong),
                "async_reset": partial(pool.async_reset, wrong),
            }
            for call, function in calls.items():
                case.require_error(EnvIdError, f"{call} with {what}", function)
        pool.send(actor.action())
        in_flight = "send to an environment in flight"
        case.require_error(EnvIdError, in_flight, lambda: pool.send(action, [0, 1]), "env 0")
        in_flight = "step of an environment in flight"
        case.require_error(EnvIdError, in_flight, lambda: pool.step(action, [0, 1]), "env 0")
        actor.keep(pool.recv(timeout=RECV_TIMEOUT))
        _check_unharmed(case, actor, "refused ids")


def check_bad_calls(case: Case) -> None:
    """Calls that cannot be served now, or whose arguments make no sense, raise at once."""
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        actor.step()
        case.require_error(StateError, "recv() with nothing in flight", pool.recv, 0)
        bad = "recv(timeout=-1)"
        case.require_error(ConfigError, bad, lambda: pool.recv(timeout=-1), "timeout")
        for seed in (-1, 1.5, "one", [0], [[0] * case.num_envs]):
            call = f"reset(seed={seed!r})"
            case.require_error(ConfigError, call, partial(pool.reset, seed=seed), "seed")
        options = {"no_such_option": 1}
        call = f"reset(options={options})"
        reset = partial(pool.reset, options=options)
        if pool.compiled.reset_options is not None:  # None: any option
            case.require_error(ConfigError, call, reset, "no_such_option")
        pool.send(actor.action())
        case.require_error(StateError, "save_state() of environments in flight", pool.save_state)
        try:
            result = pool.recv(timeout=0)
        except RecvTimeoutError:  # no result is lost by it
            result = pool.recv(timeout=RECV_TIMEOUT)
        actor.keep(result)
        _check_unharmed(case, actor, "refused calls")
    with case.make(batch_size=2) as pool:
        pool.async_reset()
        left = case.num_envs - case.num_envs % 2
        for _ in range(left // 2):
            pool.recv(timeout=RECV_TIMEOUT)
        case.require_error(StateError, "recv() with too few results in flight", pool.recv)


def check_after_close(case: Case) -> None:
    """A closed pool refuses everything but `reset`, which opens it, and can be closed again."""
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        kept = pool.step(actor.action())
        bytes_before = pickle.dumps(kept)
        pool.close()
        pool.close()
        case.require(pool.closed, "closed is False after close()", "Report this")
        action = actor.action()
        calls = {
            "step": partial(pool.step, action),
            "send": partial(pool.send, action),
            "recv": pool.recv,
            "save_state": pool.save_state,
        }
        for call, function in calls.items():
            case.require_error(StateError, f"{call} after close()", function, "closed")
        case.require(
            pickle.dumps(kept) == bytes_before,
            "close() changed a result that was received before",
            "Results belong to the caller; report this",
        )
        rollout = case.actor(pool).run(4)
        case.require(not pool.closed, "closed is True after reset()", "reset opens the pool")
    found = difference(rollout, case.reference)
    what = "a pool that was closed and reset differs from a new one"
    case.require_same(found, what, "Reset builds environments anew: look for static variables")


def _check_unharmed(case: Case, actor: Actor, what: str) -> None:
    """The pool continues as if the call had not happened."""
    for _ in range(4):
        actor.step()
    found = difference(actor.rows, case.reference)
    case.require_same(found, f"{what} changed what came after", _UNHARMED)
