# SPDX-License-Identifier: Apache-2.0
"""Checks that a task's description of its arrays is sound, and that results agree with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._specs.arrays import ArraySpec, observation_paths, split
from ..errors import shorten
from ._actions import random_actions
from ._case import Case
from ._rollout import Actor, at, columns, leaves


def check_spec(case: Case) -> None:
    """The specs are sound: plausible bounds, and samples of the spaces inside them."""
    spec = case.spec
    specs = {**spec.state_array_spec, **spec.action_array_spec}
    for name, array in specs.items():
        if array.dtype.kind == "f":
            tiny = np.finfo(array.dtype).tiny
            case.require(
                not (array.minimum == tiny).any(),
                f"the lower bound of {name!r} is {tiny}, the smallest number above 0",
                "std::numeric_limits<T>::min() is that; an unbounded array has -infinity",
            )
    own = [name for name, array in spec.state_array_spec.items() if array.own]
    case.require(
        observation_paths(own), f"there is no observation among {own}", 'Add "obs" to StateSpec'
    )
    case.require(
        bool(spec.own_actions),
        "there is no action",
        'Add "action" to ActionSpec',
    )
    for label, space in (("observation", spec.observation_space), ("action", spec.action_space)):
        drawn = _row(random_actions(space, 1, np.random.default_rng(case.seed)), 0)
        case.require(
            space.contains(drawn),
            f"{shorten(drawn)}, drawn from the {label} space {shorten(space)}, is not in it",
            "Correct its bounds",
        )
    spec.observation_spec()
    spec.action_spec()


def check_arrays(case: Case) -> None:
    """Every array of every result has the dtype, the shape and the bounds of its spec."""
    for env_type in ("gymnasium", "dm"):
        with case.make(env_type) as pool:
            actor = case.actor(pool)
            for number in range(case.steps + 1):
                result = _advance(actor, number)
                _check_result(case, columns(pool, result), f"{env_type}: result {number}")


def check_spaces(case: Case) -> None:
    """Observations are in the observation space: of each environment or player, and of all."""
    arrays = case.spec.state_array_spec.items()
    if any(array.dynamic for name, array in arrays if split(name)[0] == "obs"):
        return  # arrays that change their shape have no space
    if case.spec.options["max_num_players"] > 1:
        _check_rows_in_space(case)
        return
    with case.make("vector") as pool:
        actor = case.actor(pool)
        for number in range(case.steps + 1):
            obs = _advance(actor, number)[0]
            _check_in_space(case, obs, pool.observation_space, f"result {number}")
    with case.make() as pool:
        actor = case.actor(pool)
        for number in (0, 1):
            obs = _advance(actor, number)[0]
            for row in range(case.num_envs):
                where = f"result {number}, row {row}"
                _check_in_space(case, _row(obs, row), pool.observation_space, where)


def _check_rows_in_space(case: Case) -> None:
    """Several players: the space is that of one player, so each array is checked row by row."""
    with case.make() as pool:
        actor = case.actor(pool)
        for number in range(case.steps + 1):
            for path, array in leaves(_advance(actor, number)[0]).items():
                space = at(pool.observation_space, path) if path else pool.observation_space
                for row in range(len(array)):
                    where = f"result {number}, {path or 'obs'}[{row}]"
                    _check_in_space(case, np.asarray(array[row]), space, where)


def check_dm_specs(case: Case) -> None:
    """Observations of the env type "dm" pass the validation of their specs, row by row."""
    with case.make("dm") as pool:
        actor = case.actor(pool)
        specs = leaves(pool.observation_spec())
        for number in (0, 1):
            arrays = leaves(_advance(actor, number).observation)
            case.require(
                list(arrays) == list(specs),
                f"the dm_env observation has {list(arrays)}, its spec {list(specs)}",
                "Both come from StateSpec; report this",
            )
            for name, array in arrays.items():
                if array.dtype == object:
                    continue
                problem = _dm_problem(specs[name], array)
                case.require(
                    problem is None,
                    f"result {number}: State.{name} breaks its spec: {problem}",
                    "Correct its shape, dtype or bounds",
                )


def _dm_problem(spec: Any, array: Any) -> str | None:
    """The error of dm_env's validation of a row, or None."""
    try:
        for row in array:
            spec.validate(np.asarray(row))
    except ValueError as error:
        return str(error)
    return None


def check_observation_keys(case: Case) -> None:
    """Observation and info have the keys that the spec names, and no other."""
    names = list(case.spec.state_array_spec)
    paths = observation_paths(names)
    wanted_obs = {""} if len(paths) == 1 else set(paths.values())
    wanted_info = {split(name)[1] for name in names if split(name)[0] == "info"}
    with case.make() as pool:
        actor = case.actor(pool)
        for number in (0, 1):
            result = _advance(actor, number)
            for label, tree, wanted in (
                ("observation", result[0], wanted_obs),
                ("info", result[-1], wanted_info | {"elapsed_step"}),
            ):
                found = set(leaves(tree))
                case.require(
                    found == wanted,
                    f"result {number}: the {label} has the keys {sorted(found)} "
                    f"and not {sorted(wanted)}",
                    "Both come from StateSpec; report this",
                )


def _advance(actor: Actor, number: int) -> Any:
    result = actor.pool.step(actor.action()) if number else actor.pool.reset()
    actor.keep(result)
    return result


def _row(tree: Any, row: int) -> Any:
    if isinstance(tree, dict):
        return {key: _row(leaf, row) for key, leaf in tree.items()}
    return np.asarray(tree[row])


def _check_in_space(case: Case, obs: Any, space: Any, where: str) -> None:
    case.require(
        space.contains(obs),
        f"{where}: the observation {shorten(obs, 200)} is not in {shorten(space, 200)}",
        "Correct the bounds in StateSpec, or what the environment writes",
    )


def _check_result(case: Case, arrays: dict[str, Any], where: str) -> None:
    rows = len(arrays["info:env_id"])
    players = len(arrays["info:players.env_id"])
    for name, array in arrays.items():
        spec = case.spec.state_array_spec[name]
        shape = (players if spec.per_player else rows, *spec.item_shape)
        dtype = np.dtype(object) if spec.dynamic else spec.dtype
        case.require(
            isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape,
            f"{where}: {name!r} is {_kind(array)} and not {dtype} of shape {shape}",
            "Results are arrays of the spec's dtype, one row per environment or player",
        )
        if not spec.dynamic:
            _check_bounds(case, spec, array, where)
            continue
        for index in np.ndindex(array.shape):
            item = array[index]
            if item is None:
                continue
            case.require(
                isinstance(item, np.ndarray) and item.dtype == spec.dtype,
                f"{where}: {name!r}{list(index)} is {_kind(item)} and not a {spec.dtype} array",
                "Set a container of the type in the spec",
            )


def _check_bounds(case: Case, spec: ArraySpec, array: Any, where: str) -> None:
    if spec.dtype.kind == "f":
        case.require(
            not np.isnan(array).any(),
            f"{where}: {spec.name!r} has a NaN: {shorten(array)}",
            "Look for a division by zero or memory that was never written",
        )
    inside = (spec.minimum <= array) & (array <= spec.maximum)
    if inside.all():
        return
    index = tuple(np.argwhere(~inside)[0])
    low = np.broadcast_to(spec.minimum, array.shape)[index]
    high = np.broadcast_to(spec.maximum, array.shape)[index]
    case.require(
        False,
        f"{where}: {spec.name!r}{list(map(int, index))} is {array[index]}, "
        f"outside of {low} .. {high}",
        "Correct the bounds in StateSpec, or what the environment writes",
    )


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"a {type(value).__name__}"
