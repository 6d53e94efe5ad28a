# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to an engine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool.errors import ConfigError, MissingPackageError

from . import _engine

__all__ = ["prepare"]

_announced = False


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds the engine; a spec can do without."""
    from ._levels import PROCGEN, PROCGEN_DRAWN

    given = dict(options)
    path = given.get("engine_path") or ""
    if isinstance(path, str):
        try:
            library = _engine.find(path)
        except MissingPackageError:
            if build:
                raise
        else:
            given["engine_path"] = str(library)
            if build:
                _check(task, given, library)
    return Prepared(PROCGEN if given.get("render_mode") is None else PROCGEN_DRAWN, given)


def _check(task: Task, given: Mapping[str, object], library: Path) -> None:
    """Refuses an engine that cannot be used, where the library is going to be.

    Raises:
        ConfigError: If the game has to be played by an engine that does not play it.
    """
    from . import _procgen

    options = {**task.defaults, **given}
    wanted = options.get("engine", "auto")
    own = options["env_name"] in _procgen.own_games() and not options.get("use_generated_assets")
    if wanted == "own" and not own:
        raise ConfigError(
            f"make({task.id!r}, engine='own')",
            "use_generated_assets=True"
            if options.get("use_generated_assets")
            else f"the game {options['env_name']!r}",
            f"{', '.join(_procgen.own_games())}, without generated pictures",
            "Leave engine out: the library plays what has no engine of its own",
        )
    # Only the library draws pictures for people.
    if wanted == "libenv" or not own or given.get("render_mode") is not None:
        _engine.check(library)
        _announce()


def _announce() -> None:
    """Says once on a terminal why the first pool takes its time."""
    global _announced
    if not _announced and sys.stderr.isatty():
        print("Procgen's engine loads its images: 2 s and 340 MB, once.", file=sys.stderr)
    _announced = True
