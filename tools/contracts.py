# SPDX-License-Identifier: Apache-2.0
"""The checks of the contract that a task needs, where many tasks share a class.

Some tasks of a class get all checks. The others can differ from them only in their spaces,
episodes, draws and states: they handle errors, batches and memory with the same code.
"""

from __future__ import annotations

from envpool.testing import CHECKS, Check
from sampling import FULL

QUICK = {"check_spec", "check_reset"}
OF_ONE_TASK = QUICK | {
    *("check_arrays", "check_spaces", "check_dm_specs", "check_observation_keys"),
    *("check_same_seed", "check_threads", "check_reset_seed", "check_different_seeds"),
    *("check_next_step", "check_autoreset_modes", "check_time_limit", "check_save_and_load"),
}


def checks_of(whole: bool, is_variant: bool = False) -> list[Check]:
    """All checks for a task checked as a `whole`; a few for another task, more under `--full`.

    A variant is another task with one option changed: it has the same few checks under `--full`.
    """
    if whole:
        return list(CHECKS)
    names = OF_ONE_TASK if FULL and not is_variant else QUICK
    found = [check for check in CHECKS if check.__name__ in names]
    assert len(found) == len(names), f"no such checks: {names - {c.__name__ for c in found}}"
    return found
