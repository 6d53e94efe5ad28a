# SPDX-License-Identifier: Apache-2.0
"""Checks that episodes depend on the seed, and on nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._case import Case
from ._rollout import Rollout, difference

_STATIC = "Look for state that environments share: static or global variables"
_MEMORY = "Look for random_device, time, or memory that was never written"


def check_same_seed(case: Case) -> None:
    """The same seed gives the same episodes, bit for bit."""
    with case.make() as pool:
        again = case.actor(pool).run(case.steps)
    found = difference(again, case.reference)
    case.require_same(found, "two pools with the same seed differ", _MEMORY)


def check_flavours(case: Case) -> None:
    """The env types "gym", "vector" and "dm" play the same episodes as "gymnasium"."""
    for env_type in ("gym", "dm", "vector"):
        if env_type == "vector" and case.spec.options["max_num_players"] > 1:
            continue  # that pool has one row per environment
        with case.make(env_type) as pool:
            rollout = case.actor(pool).run(case.steps)
        found = difference(rollout, case.reference)
        case.require_same(found, f'env_type="{env_type}" differs from "gymnasium"', _STATIC)


def check_threads(case: Case) -> None:
    """Episodes are the same for any number of threads."""
    for num_threads in (1, 2, 4):
        with case.make(num_threads=num_threads) as pool:
            rollout = case.actor(pool).run(case.steps)
        found = difference(rollout, case.reference)
        case.require_same(found, f"num_threads={num_threads} changes episodes", _STATIC)


def check_batch_sizes(case: Case) -> None:
    """An asynchronous pool plays the same episodes, each batch full and of different environments.

    The rows are regrouped by environment, since batches come as environments finish.
    """
    for batch_size, num_threads in (
        (1, 1),
        (1, 2),
        (case.num_envs - 1, 2),
        (case.num_envs // 2, 4),
    ):
        with case.make(batch_size=batch_size, num_threads=num_threads) as pool:
            rollout = case.actor(pool).run(case.steps)
        what = f"batch_size={batch_size} with num_threads={num_threads} changes episodes"
        case.require_same(difference(rollout, case.reference), what, _STATIC)


def check_seed_forms(case: Case) -> None:
    """`make(seed=s)` gives environment i the seed s + i; `seed` and `env_seed` take a sequence."""
    seeds = [case.seed + i for i in range(case.num_envs)]
    configs: tuple[dict[str, Any], ...]
    configs = ({"seed": seeds}, {"seed": np.asarray(seeds)}, {"env_seed": seeds})
    for config in configs:
        with case.make(**config) as pool:
            rollout = case.actor(pool).run(4)
        found = difference(rollout, case.reference)
        what = f"make(**{config}) differs from seed={case.seed}"
        case.require_same(found, what, "Take the seed from seed_, not from the config")


def check_reset_seed(case: Case) -> None:
    """After `reset(seed=...)`, environments equal new ones with that seed."""
    advice = "A new seed builds the environment anew: look for static or global variables"
    seeds = [case.seed + i for i in range(case.num_envs)]
    other = case.seed + 1000
    for seed in (case.seed, seeds):
        with case.make(seed=other) as pool:
            actor = case.actor(pool)
            actor.run(4)
            actor.reset(seed=seed)
            rollout = _continue(case, pool, seed)
        found = difference(rollout, case.reference)
        case.require_same(found, f"reset(seed={seed}) differs from make(seed={seed})", advice)
    with case.make(seed=other) as pool:
        case.actor(pool).run(4)
        pool.seed(case.seed)
        rollout = case.actor(pool).run(4)
    found = difference(rollout, case.reference)
    case.require_same(found, f"seed({case.seed}) and reset() differ from make()", advice)
    with case.make(seed=other) as pool:
        actor = case.actor(pool)
        actor.run(4)
        some = [case.num_envs - 1]
        actor.rows[some[0]] = [actor.reset(some, [case.seed + some[0]])[some[0]]]
        actor.steps[some[0]] = 0
        for _ in range(4):
            actor.step()
    mine = {some[0]: actor.rows[some[0]]}
    found = difference(mine, case.reference)
    case.require_same(found, f"reset({some}, seed=...) differs from make(seed=...)", advice)


def _continue(case: Case, pool: Any, seed: Any) -> Rollout:
    """A rollout that starts with a reset to a seed."""
    actor = case.actor(pool)
    actor.reset(seed=seed)
    for _ in range(case.steps):
        actor.step()
    return actor.rows


def check_different_seeds(case: Case) -> None:
    """Different seeds give different episodes, unless the task was declared deterministic."""
    found = None
    for shift in range(1, 9):
        with case.make(seed=case.seed + shift * case.num_envs) as pool:
            rollout = case.actor(pool).run(case.steps)
        found = difference(rollout, case.reference)
        if found is not None:
            break
    if case.deterministic:
        what = "the task was declared deterministic, but another seed changes it"
        case.require_same(found, what, "Leave deterministic=True out")
        return
    case.require(
        found is not None,
        f"nine seeds give the same {case.steps} steps in each of {case.num_envs} environments",
        "Draw from gen_, which has the seed; if the task draws nothing at all, pass "
        "deterministic=True",
    )
