# SPDX-License-Identifier: Apache-2.0
"""The shared parts of the libraries' adapters."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Container, Sequence
from typing import Any


def lister(package: str, tasks: Sequence[str]) -> Callable[[], list[str]]:
    """The `list_tasks` of an adapter: its ids, if the package is installed."""
    return lambda: list(tasks) if importlib.util.find_spec(package) else []


def require(task: str, known: Container[str], where: str) -> None:
    """Raises LookupError for an unknown task; `where` names the library's list."""
    if task not in known:
        raise LookupError(f"{task!r} is not in {where}")


class LibraryEnv:
    """The defaults of a library's `JaxEnv`."""

    resets = "select"  # resets cost no more than a step
    max_episode_steps: int | None = None  # environments have their own limits

    def __init__(self, env: Any) -> None:
        """Keeps the environment of the library."""
        self._env = env
