# SPDX-License-Identifier: Apache-2.0
"""Holds every task of the installed families to the contract, `envpool.testing.check_task`.

    python tools/check_family.py [--beside envpool-mujoco]

Families that others stand on are tested by themselves, and left out here. The exit status is 1 if a
task breaks it, a plugin fails to load, or there is no task.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import entry_points

import envpool
from envpool.testing import check_task


def main() -> int:
    """Prints the tasks that passed; the exit status is 1 if there are none."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--beside", nargs="*", default=[], help="wheels whose tasks are left out")
    beside = parser.parse_args().beside
    known = {
        name
        for entry in entry_points(group="envpool")
        if entry.dist is not None and entry.dist.name in beside
        for task in entry.load().envpool_tasks()
        for name in task.names
    }
    tasks = [task for task in envpool.list_all_envs() if task not in known]
    for failure in envpool.failures():
        print(failure)
    for task in tasks:
        check_task(task)
        print(f"{task}: as it should be")
    return 0 if tasks and not envpool.failures() else 1


if __name__ == "__main__":
    sys.exit(main())
