# SPDX-License-Identifier: Apache-2.0
"""Checks that calls have the same meaning in all kinds of pools: which rows belong to which ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import StateError
from ._case import Case
from ._rollout import RECV_TIMEOUT, difference


def check_player_ids(case: Case) -> None:
    """An action's `players.env_id` says which environment each row is for, in any order."""
    specs = case.spec.own_actions
    if not all(spec.per_player for spec in specs.values()):
        return
    with case.make() as pool, case.make() as other:
        actors = case.actor(pool), case.actor(other)
        for actor in actors:
            actor.reset()
        for _ in range(3):
            action = actors[1].action()
            arrays = action if isinstance(action, dict) else {next(iter(specs)): action}
            owners = np.asarray(arrays.get("players.env_id", other.all_env_ids))
            order = np.argsort(-owners, kind="stable")  # players of one environment stay in order
            told = {name: np.asarray(array)[order] for name, array in arrays.items()}
            told["players.env_id"] = owners[order].astype(np.int32)
            actors[0].step()
            actors[1].keep(other.step(told, other.all_env_ids))
    case.require_same(
        difference(actors[1].rows, actors[0].rows),
        "rows of an action in another order, told by players.env_id, are not the same step",
        "Find the row of each player by players.env_id",
    )


def check_steps_of_some(case: Case) -> None:
    """A step of no environment has no rows; equal rows for all environments do for some of them."""
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        pool.send(actor.action([0]), [0])
        result = pool.step(_rows(actor.action([1]), 0), np.zeros(0, np.int32))
        count = len(actor.keep(result))
        case.require(
            count == 0 and pool.compiled.num_in_flight == 1,
            f"a step of no environment, while one is in flight, has {count} rows",
            "The result of another environment is for the next recv()",
        )
        actor.keep(pool.recv(timeout=RECV_TIMEOUT))
        if case.spec.options["max_num_players"] == 1:
            alike = _rows(actor.action([1]), case.num_envs)
            rows = actor.keep(pool.step(alike, np.asarray([1, 0], np.int32)))
            case.require(
                set(rows) == {0, 1},
                f"equal rows for all environments and the ids 1 and 0 gave the rows {list(rows)}",
                "The ids say which environments are stepped",
            )
    with case.make(autoreset_mode="disabled") as pool:
        actor = case.actor(pool)
        call = 'a step before any reset with autoreset_mode="disabled"'
        case.require_error(StateError, call, lambda: pool.step(actor.action()), "env 0")


def _rows(action: Any, count: int) -> Any:
    """An action of a single row, repeated to `count` rows."""
    if isinstance(action, dict):
        return {name: _rows(array, count) for name, array in action.items()}
    return np.repeat(np.asarray(action)[:1], count, axis=0)
