# SPDX-License-Identifier: Apache-2.0
"""Checks installed wheels: no file is missing, and every environment works.

    cd /somewhere/else
    python -I /path/to/tools/check_installed.py /path/to/dist/*.whl

Run with -I, which keeps folders that are not installed off the path. The task that a wheel's
pyproject.toml names must pass `envpool.testing`'s contract; of every other compiled environment,
the first task that needs no file of a user is made, reset and stepped. The tests of the wheels
check the contract of all tasks.
"""

from __future__ import annotations

import importlib
import re
import sys
import time
import warnings
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = {  # the families' main tasks: `tool.envpool.task` of their pyproject.toml
    name
    for path in ROOT.glob("envpool-*/pyproject.toml")
    for name in re.findall(r'^task = "(.+?)"', path.read_text(encoding="utf-8"), re.MULTILINE)
}


def main(wheels: list[str]) -> int:
    """Prints the errors; the exit status is 1 if there are any."""
    found = [problem for wheel in wheels for problem in _files(Path(wheel))]
    if not found:
        found = [*_environments()]
    print("\n".join(found) or f"{len(wheels)} wheels: complete, and their environments work")
    return 1 if found else 0


def _files(wheel: Path) -> Iterator[str]:
    """Errors: files of the wheel that are not installed, or not imported from there."""
    name, version = wheel.name.split("-")[:2]
    installed = distribution(name)
    if installed.version != version:
        yield f"{name}: {installed.version} is installed, {version} was asked for"
    for path in installed.files or ():
        if not Path(str(path.locate())).is_file():
            yield f"{name}: {path} is not installed"
    site = Path(str(installed.locate_file(""))).resolve()
    for package in _packages(installed):
        where = Path(importlib.import_module(package).__file__ or "").resolve()
        if not where.is_relative_to(site):
            yield f"{package} is imported from {where}, not from {site}"


def _packages(installed: Distribution) -> set[str]:
    parts = {path.parts[0] for path in installed.files or () if path.suffix == ".py"}
    return {part for part in parts if part.isidentifier()}


def _needs(task_id: str) -> bool:
    """Whether a task cannot be made without an option or a file of the user's."""
    import envpool

    try:
        return "needs" in envpool.make_spec(task_id).notes
    except envpool.errors.ConfigError:
        return True


def _environments() -> Iterator[str]:
    """The errors of a task of each compiled environment."""
    import envpool
    from envpool.registration import registry
    from envpool.testing import CHECKS, check_task

    # The families' tests check that seeds matter: they know the tasks that draw nothing at all.
    checks = [check for check in CHECKS if check.__name__ != "check_different_seeds"]
    first: dict[str, envpool.Task] = {}
    for task in registry.tasks():
        named = task.id in NAMED
        if (named or task.env not in first) and (named or not _needs(task.id)):
            first[task.env] = task
    yield from map(str, envpool.failures())
    for env, task in sorted(first.items()):
        start = time.perf_counter()
        try:
            if task.id in NAMED:
                check_task(task.id, checks=checks)
            else:
                _step(task.id)
        except Exception as failure:  # exceptions of the family's own, too: each is reported
            yield f"{task.id}: {type(failure).__name__}: {failure}"
        print(f"{env}, as {task.id}: {time.perf_counter() - start:.1f} s", flush=True)
    if not first:
        yield "no wheel has a task"


def _step(task_id: str) -> None:
    import envpool
    import numpy as np
    from envpool.testing import random_rows

    # A gymnasium.vector.VectorEnv has one player in an environment.
    players = envpool.make_spec(task_id).config.max_num_players
    with envpool.make(
        task_id, "vector" if players == 1 else "gymnasium", num_envs=2, seed=0
    ) as pool:
        pool.reset()
        pool.step(random_rows(pool.spec, 2, 2 * players, np.random.default_rng(0)))


if __name__ == "__main__":
    warnings.simplefilter("error")
    sys.exit(main(sys.argv[1:]))
