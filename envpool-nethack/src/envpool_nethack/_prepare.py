# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to a game."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Prepared, Task
from envpool.errors import MissingPackageError

from . import _library

__all__ = ["prepare"]

REAL = 0
"""The option clock, as the environment reads "real"."""


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds the library; a spec can do without."""
    given = dict(options)
    if given.get("clock") == "real":
        given["clock"] = REAL
    path = given.get("library_path") or ""
    if isinstance(path, str):  # a wrong type is refused later, with all others
        try:
            library = _library.find(path)
        except MissingPackageError:
            if build:
                raise
        else:
            if build:
                _library.check(library)
            given["library_path"] = str(library)
            given["data_path"] = str(_library.data_of(library))
    return Prepared(task.env, given)
