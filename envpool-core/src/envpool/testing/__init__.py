# SPDX-License-Identifier: Apache-2.0
"""The contract of an EnvPool task as tests, for any family.

The whole test file of a plugin:

    import pytest
    from envpool.testing import CHECKS, Case

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    @pytest.mark.parametrize("task_id", ["Counter-v0", "Counter-v1"])
    def test_contract(task_id, check):
        check(Case(task_id))

or, all checks of a task in one call:

    from envpool.testing import check_task

    check_task("Counter-v0", deterministic=True, goal=5)

A check that fails raises AssertionError with the error and its probable place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import (
    _check_calls,
    _check_episodes,
    _check_errors,
    _check_life,
    _check_render,
    _check_results,
    _check_seeds,
    _check_spaces,
    _check_state,
)
from ._actions import ActionPlan, random_actions, random_rows
from ._case import Case
from ._option_effects import check_option_effects
from ._option_values import OptionValues, check_option_values
from ._rollout import Actor, difference

if TYPE_CHECKING:
    from .._pools.base import EnvPoolMixin

__all__ = [
    "CHECKS",
    "Case",
    "Check",
    "OptionValues",
    "assert_deterministic",
    "check_option_effects",
    "check_option_values",
    "check_task",
    "random_actions",
    "random_rows",
]

Check = Callable[[Case], None]
"""A function that raises AssertionError if a task breaks its part of the contract."""

CHECKS: tuple[Check, ...] = (
    _check_spaces.check_spec,
    _check_life.check_listed,
    _check_episodes.check_reset,
    _check_episodes.check_step_before_reset,
    _check_spaces.check_arrays,
    _check_spaces.check_spaces,
    _check_spaces.check_dm_specs,
    _check_spaces.check_observation_keys,
    _check_seeds.check_same_seed,
    _check_seeds.check_flavours,
    _check_seeds.check_threads,
    _check_seeds.check_batch_sizes,
    _check_seeds.check_seed_forms,
    _check_seeds.check_reset_seed,
    _check_seeds.check_different_seeds,
    _check_episodes.check_next_step,
    _check_episodes.check_autoreset_modes,
    _check_episodes.check_time_limit,
    _check_episodes.check_partial_reset,
    _check_episodes.check_reset_replaces_step,
    _check_results.check_rows,
    _check_results.check_batches,
    _check_results.check_send_and_recv,
    _check_results.check_action_forms,
    _check_calls.check_player_ids,
    _check_calls.check_steps_of_some,
    _check_results.check_memory,
    _check_errors.check_bad_options,
    _check_errors.check_bad_actions,
    _check_errors.check_bad_env_ids,
    _check_errors.check_bad_calls,
    _check_errors.check_after_close,
    _check_state.check_save_and_load,
    _check_state.check_damaged_states,
    _check_render.check_render_mode,
    _check_render.check_render,
    _check_life.check_vector_env,
    _check_life.check_dm_environment,
    _check_life.check_copies,
    _check_life.check_end,
)
"""All checks. The first line of a check's docstring is the sentence that it checks."""


def check_task(
    task_id: str,
    *,
    num_envs: int = 4,
    steps: int = 64,
    seed: int = 3,
    deterministic: bool = False,
    checks: Iterable[Check] = CHECKS,
    **config: Any,
) -> None:
    """Checks that a task keeps the contract of EnvPool, as `make` and its pools promise it.

    Args:
        task_id: The task; its family has to be installed.
        num_envs: Environments in a pool; fewer are faster, 2 is the least.
        steps: Length of the long rollouts; should be enough for an episode to end.
        seed: The seed of most pools.
        deterministic: The task draws nothing, so that all seeds give the same episodes. If it is
            False, seeds must give different episodes.
        checks: The checks to run, out of `CHECKS` or your own.
        **config: Options of the task that differ from the defaults.

    Raises:
        AssertionError: If checks fail; names each of them, its error and the probable place.
        ConfigError: If `num_envs` or `steps` is too small, or the checks set an option themselves.
    """
    case = Case(task_id, config, num_envs, steps, seed, deterministic)
    checks = tuple(checks)
    failures = [(check, failure) for check in checks if (failure := _failure(check, case))]
    if failures:
        head = f"{case} fails {len(failures)} of {len(checks)} checks"
        raise AssertionError("\n\n".join([head, *_report(failures)])) from failures[0][1]


def _failure(check: Check, case: Case) -> Exception | None:
    try:
        check(case)
    except Exception as failure:
        return failure
    return None


# Failures after the first few are mostly their consequences.
_MOST_REPORTED = 5


def _report(failures: list[tuple[Check, Exception]]) -> Iterator[str]:
    """A paragraph for each different failure, with the check's sentence, and the names of the rest.

    Yields:
        The paragraphs.
    """
    checks_by_text: dict[str, list[Check]] = {}
    for check, failure in failures:
        kind = "" if isinstance(failure, AssertionError) else f"{type(failure).__name__}: "
        checks_by_text.setdefault(f"{kind}{failure}", []).append(check)
    reported = list(checks_by_text.items())
    for text, checks in reported[:_MOST_REPORTED]:
        promise = (checks[0].__doc__ or "").partition("\n")[0]
        also = f"\nThe same in {_names(checks[1:])}" if checks[1:] else ""
        yield f"{_names(checks[:1])}: {promise}\n{text}{also}"
    rest = [check for _, checks in reported[_MOST_REPORTED:] for check in checks]
    if rest:
        yield f"And {len(rest)} more: {_names(rest)}"


def _names(checks: Iterable[Check]) -> str:
    return ", ".join(getattr(check, "__name__", repr(check)) for check in checks)


def assert_deterministic(
    first: EnvPoolMixin, second: EnvPoolMixin, *, steps: int = 64, seed: int = 0
) -> None:
    """Requires that two pools play the same episodes, environment by environment, bit for bit.

    The pools may differ in anything that must not matter: threads, batch size, env type. Both are
    reset, and every environment takes the same random actions in both.

    Args:
        first: A pool.
        second: Another pool of the same task, number of environments and seed.
        steps: The steps of every environment.
        seed: The seed of the actions.

    Raises:
        AssertionError: If results differ; names the environment, the step and the array.
    """
    plan = ActionPlan(first.spec, steps, seed)
    found = difference(Actor(first, plan).run(steps), Actor(second, plan).run(steps))
    if found is not None:
        raise AssertionError(f"{first!r}\nand\n{second!r}\ndiffer: {found}.")
