# SPDX-License-Identifier: Apache-2.0
"""Every check finds its fault.

Each flaw of an environment, or of a pool, fails the checks that are named beside it, and every
check is named at least once.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import envpool
import numpy as np
import pytest
from envpool._pools.base import EnvPoolMixin
from envpool._pools.vector import VectorPool
from envpool._specs import options
from envpool.testing import CHECKS, _check_life, _check_results, _rollout, check_task

BY_NAME = {check.__name__: check for check in CHECKS}

# Option "flaw" of a Walk: the checks that fail, and the message of one.
ENVIRONMENTS = {
    "low_is_tiny": ("check_spec check_arrays check_spaces check_dm_specs", "smallest number above"),
    "low_is_high": ("check_spec", r"bounds \[?9.* leave no number"),
    "leaves_bounds": ("check_arrays check_spaces check_dm_specs", r"outside of -8.0 .. 8.0"),
    "nan": ("check_arrays check_spaces", "has a NaN"),
    "seed_ignored": ("check_different_seeds", "nine seeds give the same 64 steps"),
    "seed_of_config": ("check_seed_forms check_reset_seed", "Take the seed from seed_"),
    "random_device": ("check_same_seed check_threads check_copies", "Look for random_device"),
    "shared_generator": ("check_partial_reset check_rows check_after_close", "static or global"),
    "limit_is_terminal": ("check_time_limit", "terminated, although a longer episode goes on"),
    "limit_has_no_discount": ("check_time_limit", r"the discount is \[0.\]"),
    "reset_keeps_done": ("check_next_step check_autoreset_modes", "."),
    "reset_has_reward": ("check_reset check_step_before_reset check_next_step", "reward"),
    "forgets_step": ("check_save_and_load", "Write every member"),
    "render_counts": ("check_render", r"render\(\[3, 0\]\) is not what render\(\) of all has"),
    "render_moves": ("check_render", "."),
}

# The same for a Team, in which a healthy player may leave at the time limit.
TEAMS = {
    "last_leaves_bounds": (
        "check_arrays check_spaces check_dm_specs",
        r"players.at\[\d\]: the observation array\(\[ *0., 101.\]\) is not in Box",
    ),
    "limit_has_no_discount": (
        "check_time_limit",
        r"the discount is \[(1. )*0.\], in a longer episode \[(1. )*1.\]",
    ),
}

# Faults of a pool, in the same form.
POOLS = {
    "LosesRow": ("check_reset check_rows check_memory", r"rows of the environments \[0, 1, 2\]"),
    "RepeatsRow": ("check_batches", r"has the environments \[(\d), \1\]"),
    "KeepsBuffers": ("check_memory", "batch 0, which is kept, was overwritten"),
    "OverlapsArrays": ("check_memory", "'4.side' and '4.elapsed_step' share memory"),
    "ReadOnly": ("check_memory", "is no writable C-contiguous array"),
    "IgnoresSeedOfReset": ("check_reset_seed", r"reset\(seed=3\) differs from make\(seed=3\)"),
    "ResetIsStale": ("check_reset_replaces_step", "the reset replaces it"),
    "ReadsActionsLate": ("check_send_and_recv", r"Actions are copied by send\(\)"),
    "SplitsBatches": ("check_send_and_recv", "Results of several sends are one batch"),
    "AcceptsActions": ("check_bad_actions", "refused with ActionError"),
    "AcceptsIds": ("check_bad_env_ids", "refused with EnvIdError"),
    "RaisesOtherClass": ("check_bad_actions", r"raised ValueError \(action .* and not ActionError"),
    "SaysNothing": ("check_bad_actions", "lacks a part: 'invalid action'"),
    "NamesNothing": ("check_bad_actions", "does not mention 'action'"),
    "StepsBeforeRefusal": ("check_bad_actions", "refused actions changed what came after"),
    "NeverTimesOut": ("check_bad_calls", r"recv\(timeout=-1\) raised"),
    "NeverTruncates": ("check_time_limit check_next_step", "not truncated"),
    "CountsTwice": ("check_next_step", "elapsed_step went from"),
    "NeverCloses": ("check_after_close", r"closed is False after close\(\)"),
    "IgnoresLoad": ("check_save_and_load", r"load_state\(\) of the same pool"),
    "AcceptsDamage": ("check_damaged_states", "refused with SavedStateError"),
    "DrawsFloats": ("check_render", "returned float32 of shape"),
    "ThreadsMatter": ("check_threads", "num_threads=2 changes episodes"),
    "HoldsBack": ("check_batch_sizes", "must not wait for ever while others come back"),
    "BatchesMatter": ("check_batch_sizes", "batch_size=1 with num_threads=1 changes episodes"),
    "FlavoursMatter": ("check_flavours", 'env_type="dm" differs from "gymnasium"'),
    "RefusesLists": ("check_action_forms", "a list"),
    "SortsRows": ("check_rows", r"rows of \[0, 3\]"),
    "ResetsAll": ("check_partial_reset", r"env 1 after a reset of \[3, 0\]"),
    "StartsWithStep": ("check_step_before_reset", "is reset by its first step"),
    "FinalIsNext": ("check_autoreset_modes", 'autoreset_mode="same_step", env 0, episode 0'),
    "AddsKey": ("check_observation_keys", "the info has the keys .*'extra'"),
    "LosesMask": ("check_vector_env", r"info\['side'\] has the mask None"),
    "DmIsWide": ("check_dm_environment check_dm_specs check_arrays", "float64"),
    "IgnoresPlayers": ("check_player_ids", "Find the row of each player by players.env_id"),
    "StepReceivesAll": ("check_steps_of_some", "while one is in flight, has 1 rows"),
    "StartsUnasked": ("check_steps_of_some", "before any reset .* raised nothing"),
    "ResetPays": ("check_reset", r"reward \[1. 1. 1. 1.\]"),
}


# The same for a Team.
TEAM_POOLS = {
    "RefusesLists": ("check_action_forms", "a list"),
    "WantsPlayersTold": ("check_action_forms", "whose rows"),
}


# Changes to EnvPool's Python side, and the checks that notice them.
PATCHES = {
    "not_listed": ("check_listed", r"list_all_envs\(\) does not have the task"),
    "copies_are_small": ("check_copies", "pickle of Walk"),
    "pools_are_kept": ("check_end", "something keeps a pool"),
    "options_have_no_range": ("check_bad_options", r"'seed': -1.* raised nothing"),
    "draws_without_mode": ("check_render_mode", "refused with RenderError"),
    "rows_are_the_callers": ("check_partial_reset", "reset_mask without env 1 changed its row"),
    "space_is_small": ("check_spaces", "is not in Box"),
}


def failure_of(names: str, task_id: str, **config: object) -> str:
    """The messages of the named checks for a task; each check must fail."""
    said = []
    for name in names.split():
        with pytest.raises(AssertionError) as failure:
            check_task(task_id, checks=[BY_NAME[name]], **config)
        said.append(str(failure.value))
    return "\n".join(said)


@pytest.mark.parametrize("flaw", ENVIRONMENTS)
def test_flaw_of_an_environment(flaw: str) -> None:
    names, text = ENVIRONMENTS[flaw]
    assert re.search(text, failure_of(names, "Walk-v0", flaw=flaw), re.DOTALL)


@pytest.mark.parametrize("flaw", POOLS)
def test_flaw_of_a_pool(flaw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection
    import faulty_calls
    import faulty_results

    names, text = POOLS[flaw]
    faulty = {**vars(faulty_results), **vars(faulty_calls)}[flaw]
    monkeypatch.setattr(fault_injection, "ENV", fault_injection.FaultyEnv(faulty))
    for module in (_check_results, _rollout):  # a row that is lost is waited for
        monkeypatch.setattr(module, "RECV_TIMEOUT", 5.0)
    assert re.search(text, failure_of(names, "Faulty-v0"), re.DOTALL)


def test_slow_first_step_is_no_flaw(monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection
    import faulty_calls

    monkeypatch.setattr(fault_injection, "ENV", fault_injection.FaultyEnv(faulty_calls.IsLateOnce))
    check_task("Faulty-v0", steps=8, checks=[BY_NAME["check_batch_sizes"]])


@pytest.mark.parametrize("flaw", TEAMS)
def test_flaw_of_an_environment_with_players(flaw: str) -> None:
    names, text = TEAMS[flaw]
    said = failure_of(names, "Team-v0", flaw=flaw, max_num_players=3)
    assert re.search(text, said, re.DOTALL), said


@pytest.mark.parametrize("flaw", TEAM_POOLS)
def test_flaw_of_a_pool_with_players(flaw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection
    import faulty_calls
    import walks

    names, text = TEAM_POOLS[flaw]
    faulty = vars(faulty_calls)[flaw]
    monkeypatch.setattr(fault_injection, "ENV", fault_injection.FaultyEnv(faulty, env=walks.Team))
    assert re.search(text, failure_of(names, "Faulty-v0", max_num_players=3))


def test_termination_lost_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection
    import faulty_results

    monkeypatch.setattr(
        fault_injection, "ENV", fault_injection.FaultyEnv(faulty_results.LosesTermination)
    )
    said = failure_of("check_time_limit", "Faulty-v0", horizon=3)
    assert "not terminated, although a longer episode ends there" in said


def test_autoreset_mode_without_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection

    monkeypatch.setattr(
        fault_injection, "ENV", fault_injection.FaultyEnv(autoreset_mode="next_step")
    )
    said = failure_of("check_autoreset_modes", "Faulty-v0")
    assert 'autoreset_mode="disabled" raised nothing' in said


def test_save_of_what_cannot_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    import fault_injection

    monkeypatch.setattr(fault_injection, "ENV", fault_injection.FaultyEnv(saves=False))
    said = failure_of("check_save_and_load", "Faulty-v0")
    assert "save_state() of a task that cannot be saved raised nothing" in said


@pytest.mark.parametrize("flaw", PATCHES)
def test_flaw_of_the_python_side(flaw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mixin = EnvPoolMixin
    kept = []
    if flaw == "not_listed":
        monkeypatch.setattr(_check_life, "list_all_envs", lambda: ["Other-v0"])
    elif flaw == "copies_are_small":
        recipe = functools.partial(envpool.make, num_envs=1)
        monkeypatch.setattr(mixin, "__reduce__", lambda pool: (recipe, ("Walk-v0",)))
    elif flaw == "pools_are_kept":

        def async_reset(pool: EnvPoolMixin) -> None:
            kept.append(pool)
            pool._compiled.async_reset()

        monkeypatch.setattr(mixin, "async_reset", async_reset)
    elif flaw == "options_have_no_range":
        monkeypatch.setattr(options, "check_range", lambda *_: None)
    elif flaw == "draws_without_mode":
        monkeypatch.setattr(mixin, "_render", lambda *_: np.zeros((1, 4, 4, 3), np.uint8))
    elif flaw == "rows_are_the_callers":
        # As if the pool kept the result itself, of which the caller has written into row 1.
        reset = VectorPool.reset

        def careless_reset(pool: VectorPool, **kwargs: Any) -> object:
            obs, info = reset(pool, **kwargs)
            if "reset_mask" in (kwargs.get("options") or {}):
                obs[1] += 1
            return obs, info

        monkeypatch.setattr(VectorPool, "reset", careless_reset)
    else:
        narrow = property(lambda pool: pool.single_observation_space)
        monkeypatch.setattr(VectorPool, "observation_space", narrow)
    names, text = PATCHES[flaw]
    assert re.search(text, failure_of(names, "Walk-v0"), re.DOTALL)


def test_every_check_has_a_flaw() -> None:
    tables = (*ENVIRONMENTS.values(), *POOLS.values(), *PATCHES.values())
    named = {name for names, _ in tables for name in names.split()}
    assert named == set(BY_NAME)
