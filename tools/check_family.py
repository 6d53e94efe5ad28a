# SPDX-License-Identifier: Apache-2.0
"""Holds every task of the installed families to the contract, `envpool.testing.check_task`.

    python tools/check_family.py

The exit status is 1 if a task breaks it, a plugin fails to load, or there is no task.
"""

from __future__ import annotations

import sys

import envpool
from envpool.testing import check_task


def main() -> int:
    """Prints the tasks that passed; the exit status is 1 if there are none."""
    tasks = envpool.list_all_envs()
    for failure in envpool.failures():
        print(failure)
    for task in tasks:
        check_task(task)
        print(f"{task}: as it should be")
    return 0 if tasks and not envpool.failures() else 1


if __name__ == "__main__":
    sys.exit(main())
