# SPDX-License-Identifier: Apache-2.0
"""Checks of the begin, the steps and the end of episodes, in all three autoreset modes.

With autoreset_mode="next_step" and a limit of 3 steps, results must come in this order, and sooner
if the environment ends an episode itself:

    call            what happens   elapsed_step   reward   ended
    reset or step   Reset          0              0        no
    step            Step           1              any      no
    step            Step           2              any      no
    step            Step           3              any      truncated
    step            Reset          0              0        no      (the action is not used)

An environment with Continue may go on counting after it ended an episode itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import StateError
from ._case import Case
from ._rollout import (
    RECV_TIMEOUT,
    Actor,
    Rollout,
    Row,
    final_rows,
    is_first,
    is_last,
    leaves,
    row_difference,
)

LIMIT = 3
_LIMITS: tuple[dict[str, Any], ...] = ({"max_episode_steps": LIMIT}, {})
# Results that differ between a reset and a step, or that belong to the step before it.
_OF_STEPS = ("reward", "terminated", "trunc", "discount", "step_type")

Episodes = dict[int, list[list[Row]]]


def check_reset(case: Case) -> None:
    """`reset` starts an episode everywhere: a row for each environment, in order, at step 0."""
    with case.make("dm") as pool:
        step = pool.reset()
        ids = step.observation.env_id.tolist()
        case.require(
            ids == list(range(case.num_envs)),
            f"reset() returned rows of the environments {ids}",
            "Every environment has one row, in the order of the ids",
        )
        start = step.first().all() and not step.reward.any() and (step.discount == 1).all()
        case.require(
            start,
            f"reset() returned step_type {step.step_type}, reward {step.reward} and discount "
            f"{step.discount}",
            "An episode starts with FIRST, 0 and 1: leave reward and discount alone in Reset",
        )
    with case.make() as pool:
        elapsed = pool.reset()[1]["elapsed_step"]
        case.require(not elapsed.any(), f"reset() returned elapsed_step {elapsed}", "It must be 0")


def check_step_before_reset(case: Case) -> None:
    """A `step` before any reset is the reset: its action is not used."""
    with case.make() as pool:
        actor = case.actor(pool)
        rows = actor.step()
    for env_id, row in rows.items():
        case.require(
            is_first(row) and not row["reward"].any(),
            f"the first step of env {env_id} returned elapsed_step {row['elapsed_step']}, reward "
            f"{row['reward']}",
            "An environment that has no episode yet is reset by its first step",
        )
        found = row_difference(row, case.reference[env_id][0])
        what = f"the first step of env {env_id} is not what reset() returns"
        case.require_same(found, what, "Both call Reset of an environment that was just built")


def check_next_step(case: Case) -> None:
    """The step after the end of an episode resets, and every other step counts up."""
    for config in _LIMITS:
        for env_type in ("gymnasium", "dm"):
            with case.make(env_type, **config) as pool:
                rollout = case.actor(pool).run(case.steps)
            for env_id, rows in rollout.items():
                for number, (before, row) in enumerate(pairwise(rows)):
                    _check_succession(case, before, row, f"env {env_id}, step {number + 1}")


def _check_succession(case: Case, before: Row, row: Row, where: str) -> None:
    if is_last(before):
        case.require(
            is_first(row, before),
            f"{where}: the episode was over, but the step was no reset: {_flags(row)}",
            "Look for a done flag that Reset does not clear",
        )
        case.require(
            not row["reward"].any(),
            f"{where}: a reset has the reward {row['reward']}",
            "Write no reward in Reset",
        )
        return
    case.require(
        not is_first(row),
        f"{where}: a reset although the episode was not over: {_flags(row)}",
        "Look for an environment that ends episodes without saying so in IsDone",
    )
    if "elapsed_step" in row:
        case.require(
            row["elapsed_step"] == before["elapsed_step"] + 1,
            f"{where}: elapsed_step went from {before['elapsed_step']} to {row['elapsed_step']}",
            "It counts the steps of the episode",
        )


def check_autoreset_modes(case: Case) -> None:
    """Episodes are the same in the modes "next_step", "same_step" and "disabled"."""
    for config in _LIMITS:
        with case.make(autoreset_mode="next_step", **config) as pool:
            expected = _split(case.actor(pool).run(case.steps))
        with case.make(autoreset_mode="disabled", **config) as pool:
            _compare(case, _disabled(case, case.actor(pool)), expected, "disabled")
        if case.spec.options["max_num_players"] == 1:
            with case.make(autoreset_mode="same_step", **config) as pool:
                _compare(case, _same_step(case, case.actor(pool)), expected, "same_step")


def _split(rollout: Rollout) -> Episodes:
    """Episodes of a rollout with a row for each reset."""
    episodes: Episodes = {}
    for env_id, rows in rollout.items():
        episodes[env_id] = []
        before = None
        for row in rows:
            if is_first(row, before):
                episodes[env_id].append([])
            episodes[env_id][-1].append(row)
            before = row
    return episodes


def _disabled(case: Case, actor: Actor) -> Episodes:
    """Plays with resets by hand; a step of an environment without an episode is refused."""
    rows = actor.reset()
    for _ in range(case.steps):
        rows = actor.step()
        over = [env_id for env_id, row in rows.items() if is_last(row)]
        if not over:
            continue
        case.require_error(
            StateError,
            f'step of env {over[0]}, whose episode is over, with autoreset_mode="disabled"',
            actor.step,
        )
        actor.reset(over)
    return _split(actor.rows)


def _same_step(case: Case, actor: Actor) -> Episodes:
    """Plays with resets within steps; the last row of an episode is reassembled."""
    episodes = {env_id: [[row]] for env_id, row in actor.reset().items()}
    for _ in range(case.steps):
        result = actor.pool.step(actor.action())
        rows = actor.keep(result)
        final = final_rows(actor.pool, result)
        over = {env_id for env_id, row in rows.items() if is_last(row)}
        case.require(
            over == set(final),
            f'same_step: the episodes of {sorted(over)} ended, info["_final_obs"] names '
            f"{sorted(final)}",
            "The mask is True where an episode ended",
        )
        for env_id, row in rows.items():
            if env_id not in final:
                episodes[env_id][-1].append(row)
                continue
            flags = {name: row[name] for name in _OF_STEPS if name in row}
            episodes[env_id][-1].append(final[env_id] | flags)
            start = {name: array for name, array in row.items() if name not in _OF_STEPS}
            episodes[env_id].append([start])
    return episodes


def _compare(case: Case, got: Episodes, expected: Episodes, mode: str) -> None:
    advice = "Look for something that Reset does not set, or that IsDone changes"
    for env_id, episodes in expected.items():
        pairs = zip(got[env_id], episodes, strict=False)
        for number, (ours, theirs) in enumerate(pairs):
            complete = is_last(theirs[-1]) and number + 1 < len(got[env_id])
            where = f'autoreset_mode="{mode}", env {env_id}, episode {number}'
            case.require(
                len(ours) == len(theirs) or not complete,
                f"{where}: {len(ours) - 1} steps and not {len(theirs) - 1}",
                advice,
            )
            for step, (row, other) in enumerate(zip(ours, theirs, strict=False)):
                found = row_difference(row, other)
                case.require_same(found, f"{where}, step {step}", advice)


def check_time_limit(case: Case) -> None:
    """An episode is truncated after max_episode_steps, and terminated only by the task itself."""
    for limit in (LIMIT, 1):
        with case.make(max_episode_steps=limit) as pool:
            short = case.actor(pool).run(limit)
        with case.make("dm", max_episode_steps=limit) as pool:
            dm = case.actor(pool).run(limit)
        with case.make(max_episode_steps=limit + 10) as pool:
            long = case.actor(pool).run(limit)
        with case.make("dm", max_episode_steps=limit + 10) as pool:
            long_dm = case.actor(pool).run(limit)
        for env_id in short:
            if any(map(is_last, long[env_id][:limit])):
                continue  # its episode was over before the limit
            row, free, dm_row = short[env_id][limit], long[env_id][limit], dm[env_id][limit]
            where = f"env {env_id}, at the limit of {limit} steps"
            case.require(
                row["trunc"], f"{where}: not truncated: {_flags(row)}", "The pool counts steps"
            )
            case.require(
                not row["terminated"] or free["terminated"],
                f"{where}: terminated, although a longer episode goes on from there",
                "The time limit is no terminal state: take max_episode_steps out of IsDone",
            )
            case.require(
                row["terminated"] or not free["terminated"],
                f"{where}: not terminated, although a longer episode ends there",
                "A terminal state on the last step counts: take max_episode_steps out of IsDone",
            )
            kept, expected = dm_row["discount"], long_dm[env_id][limit]["discount"]
            # Any of several players may leave for good in any step, so in this step as well.
            counts = kept.all() or case.spec.options["max_num_players"] > 1
            case.require(
                row["terminated"] or (counts and np.array_equal(kept, expected)),
                f"{where}: the discount is {kept}, in a longer episode {expected}",
                "A time limit changes no discount: write none there",
            )
            case.require(
                not row["terminated"] or (dm_row["discount"] < 1).all(),
                f"{where}: the discount of a terminal state is {dm_row['discount']}",
                "It is 0 unless the environment writes another",
            )


def check_partial_reset(case: Case) -> None:
    """`reset` of some environments returns their rows only, and leaves the others alone."""
    some = [case.num_envs - 1, 0] if case.num_envs > 2 else [1]
    others = [env_id for env_id in range(case.num_envs) if env_id not in some]
    with case.make() as pool:
        actor = case.actor(pool)
        actor.reset()
        actor.step()
        rows = actor.reset(some)
        case.require(
            list(rows) == some,
            f"reset({some}) returned rows of {list(rows)}",
            "Rows come in the order of the ids that were asked for",
        )
        for env_id, row in rows.items():
            case.require(
                is_first(row),
                f"reset({some}) returned {_flags(row)} for env {env_id}",
                "It starts an episode",
            )
        for _ in range(LIMIT):
            actor.step()
    for env_id in others:
        for number, (row, expected) in enumerate(
            zip(actor.rows[env_id], case.reference[env_id], strict=False)
        ):
            what = f"env {env_id} after a reset of {some}, step {number}"
            advice = "Look for state that environments share: static or global variables"
            case.require_same(row_difference(row, expected), what, advice)
    if case.spec.options["max_num_players"] == 1:
        _check_reset_mask(case, some)


def _check_reset_mask(case: Case, some: list[int]) -> None:
    mask = np.zeros(case.num_envs, np.bool_)
    mask[some] = True
    with case.make("vector") as pool:
        actor = case.actor(pool)
        actor.reset()
        # From the first reset on, a pool keeps copies of observations.
        actor.keep(pool.reset(options={"reset_mask": mask}))
        result = pool.step(actor.action())
        before = actor.keep(result)
        _overwrite(result[0])
        rows = actor.keep(pool.reset(options={"reset_mask": mask}))
        for env_id, row in rows.items():
            if not mask[env_id]:
                kept = {name: row[name] for name in row if name.startswith("obs")}
                found = row_difference(kept, before[env_id])
                what = f"reset_mask without env {env_id} changed its row"
                case.require_same(found, what, "It is the last observation; report this")


def _overwrite(obs: Any) -> None:
    """Writes into an observation, which belongs to the caller, and into arrays in it."""
    for array in leaves(obs).values():
        if isinstance(array, str):
            continue  # part of a tuple of texts, which is immutable
        if array.dtype == object:
            for index in np.ndindex(array.shape):
                if array[index] is not None:
                    _overwrite(array[index])
        else:
            array[...] = np.ones((), array.dtype)


def check_reset_replaces_step(case: Case) -> None:
    """`reset` drops the results of steps that were sent and not received."""
    configs: tuple[dict[str, Any], ...] = ({}, {"batch_size": 1})
    for config in configs:
        with case.make(**config) as pool:
            actor = case.actor(pool)
            pool.async_reset()
            for _ in range(case.num_envs // pool.config["batch_size"]):
                actor.keep(pool.recv(timeout=RECV_TIMEOUT))
            pool.send(actor.action(), pool.all_env_ids)
            pool.async_reset()
            for _ in range(case.num_envs // pool.config["batch_size"]):
                for env_id, row in actor.keep(pool.recv(timeout=RECV_TIMEOUT)).items():
                    case.require(
                        is_first(row),
                        f"env {env_id}: after send() and async_reset() recv() returned "
                        f"{_flags(row)}",
                        "The result of the step is stale: the reset replaces it",
                    )


def _flags(row: Row) -> str:
    names = ("elapsed_step", "step_type", "reward", "terminated", "trunc")
    return ", ".join(f"{name} {row[name]}" for name in names if name in row)
