# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to an engine."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool.errors import MissingPackageError

from . import _engine

__all__ = ["prepare"]

_announced = False


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds engine and images; a spec needs neither."""
    from ._levels import PROCGEN, PROCGEN_DRAWN

    given = dict(options)
    notes: dict[str, str] = {}
    path = given.get("engine_path") or ""
    if isinstance(path, str):
        try:
            library = _engine.FILE.find(path)
        except MissingPackageError:
            if build:
                raise
        else:
            given["engine_path"] = str(library)
            notes["library"] = described(library)
            own = build and _uses_own(task, given)
            if own:
                _engine.check_zlib(f"the images of {task.id}")
            # Pictures for people always come from the library.
            if build and (given.get("render_mode") is not None or not own):
                _engine.check(library)
                if not path:
                    _warn_of_hidden(library)
                _announce()
    return Prepared(PROCGEN if given.get("render_mode") is None else PROCGEN_DRAWN, given, notes)


def described(library: Path) -> str:
    """A library with its distribution: "procgen 0.10.7, /home/me/.cache/.../libenv.so"."""
    distribution = _engine.distribution_of(library)
    return f"{distribution}, {library}" if distribution else str(library)


def _warn_of_hidden(library: Path) -> None:
    """Warns that another library is used than the one that the user fetched."""
    if (brought := _engine.hidden()) is not None:
        warnings.warn(
            f"Procgen's frames are drawn by {described(library)}, which differ from those of "
            f"procgen 0.10.7; engine_path={str(brought)!r} takes the one that "
            f"`{_engine.FILE.command}` brought",
            stacklevel=2,
        )


def _uses_own(task: Task, given: Mapping[str, object]) -> bool:
    """True if the library is not needed; a wrong type is refused later, with all others."""
    from . import _procgen

    game, engine, generated = (
        given.get(name, task.defaults.get(name, default))
        for name, default in (("env_name", ""), ("engine", "auto"), ("use_generated_assets", False))
    )
    if not isinstance(game, str) or not isinstance(engine, str):
        return False
    return _procgen.uses_own(game, engine, bool(generated))


def _announce() -> None:
    """Explains once, on a terminal, why the first pool takes a while."""
    global _announced
    if not _announced and sys.stderr.isatty():
        print("Procgen's engine loads its images: 2 s and 340 MB, once.", file=sys.stderr)
    _announced = True
