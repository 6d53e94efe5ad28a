# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to the files of a game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import cast

from envpool import Prepared, Task
from envpool.errors import ConfigError, MissingPackageError
from envpool.files import check_file

from . import _generators, _levels, _library, _minihack, _minihack_tasks
from ._minihack_tasks import SEE_ACTIONS

__all__ = ["prepare", "prepare_levels"]

REAL = 0
"""The environment's value for the option clock="real"."""
MOST_LEVELS = 10_000
"""The environment's limit."""
_DATA: dict[Path, Path] = {}
_KNOWN: dict[tuple[object, ...], _levels.Levels] = {}
_ROWS = {row.id: row for row in _minihack_tasks.ROWS}
_MOST_BYTES = 1 << 20  # limit of a description; the package's have 5 kB
_OWN = ("Navigation-Custom", "Skill-Custom")
_ROOM = {"size": 9, "walls": 0, "lava": False}
"""The level of MiniHack's task for users' levels, if no level is given."""


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds the library and makes the levels; a spec needs neither."""
    given = dict(options)
    if given.get("clock") == "real":
        given["clock"] = REAL
    given["tries_options"] = any(name in given for name in ("options", "character", "wizkit"))
    given["draws_text"] = given.get("render_mode") == "ansi"
    path = given.get("library_path") or ""
    library = None
    if isinstance(path, str):  # a wrong type is refused later, with all others
        try:
            library = _library.FILE.find(path)
        except MissingPackageError:
            if build:
                raise
        else:
            if build:
                _library.check(library)
            given["library_path"] = str(library)
            given["data_path"] = str(_library.data_of(library))
            given["tiles_path"] = _library.tiles_of(library)
            _check_clock(given, str(library), build)
    if row := _ROWS.get(task.id):
        if "options" not in given:
            given["options"] = _game_options({**task.options, **given})
        chosen = {**task.options, **task.defaults, **given}
        if not chosen.get("include_see_actions", True) and "actions" not in given:
            actions = cast("list[int]", task.defaults["actions"])
            given["actions"] = [key for key in actions if key not in SEE_ACTIONS]
        if build and library is not None:
            _add_levels(row, given, {**chosen, **given}, library)
    return Prepared(task.env, given)


def _check_clock(given: dict[str, object], library: str, build: bool) -> None:
    """Games of a library that the system loads always see the machine's clock."""
    loader = given.get("loader", "auto")
    problem = 'loader="dlopen"' if loader == "dlopen" else ""
    if loader == "auto" and build:
        problem = _problem(library, Path(library).stat().st_mtime_ns)
    if not problem:
        return
    if given.setdefault("clock", REAL) != REAL:
        raise ConfigError(
            f"option clock={given['clock']!r}",
            f"games of a library that the system loads: {problem}",
            "clock='real', as these see the machine's clock",
            "Leave clock out, or use the library that `envpool nethack fetch` brings",
        )


@lru_cache(maxsize=16)
def _problem(library: str, _changed: int) -> str:
    from ._nethack import problem_of_own_loader

    return problem_of_own_loader(library)


def _game_options(chosen: Mapping[str, object]) -> list[str]:
    """Options of NetHack, including those that MiniHack's arguments add."""
    more = [] if chosen["autopickup"] else ["!autopickup"]
    more += [] if chosen["pet"] else ["pettype:none"]
    return [*_minihack_tasks.GAME_OPTIONS, *more]


def _add_levels(
    row: _minihack_tasks.Row, given: dict[str, object], chosen: Mapping[str, object], library: Path
) -> None:
    count = chosen.get("num_levels", 1)
    if not isinstance(count, int) or not 1 <= count <= MOST_LEVELS:
        return  # refused later, with all others
    levels = _known_levels(row, library, count, str(chosen["des_file"]))
    if chosen["des_file"]:
        given["num_levels"] = 1
    given["data_path"] = str(_data(_minihack.find()))
    given["levels_path"] = str(levels.path)
    given["levels_hash"] = levels.hash


def _known_levels(row: _minihack_tasks.Row, library: Path, count: int, own: str) -> _levels.Levels:
    """Levels of a task, searched once per process, and again if their file is gone."""
    asked = (row.id, library, library.stat().st_mtime_ns, count)
    if own:
        return prepare_levels(row, library, count, own)
    if asked not in _KNOWN or not _KNOWN[asked].path.is_file():
        _KNOWN[asked] = prepare_levels(row, library, count)
    return _KNOWN[asked]


def _data(package: Path) -> Path:
    """The data of MiniHack's games, made once per process, and again if the file is gone."""
    if package not in _DATA or not _DATA[package].is_file():
        _DATA[package] = _levels.data(package)
    return _DATA[package]


def prepare_levels(
    row: _minihack_tasks.Row, library: Path, count: int, own: str = ""
) -> _levels.Levels:
    """The levels of a task, made if the cache lacks them.

    Args:
        row: The task.
        library: libnethack.so.
        count: The number of levels, for a task that has many.
        own: The user's level, or its path.

    Raises:
        ConfigError: If it is not a level, or its file is not found.
        MissingPackageError: If the package minihack is missing.
    """
    what = f"levels of {row.id}"
    if own:
        return _levels.bank(library, [_read(own)], "option des_file")
    if row.generator is not None:
        kind, settings = row.generator
        return _levels.bank(library, _drawn(kind, tuple(settings.items()), count), what)
    if row.name in _OWN:
        return _levels.bank(library, _drawn("crossing", tuple(_ROOM.items()), 1), what)
    texts = _minihack.texts(_minihack.find())
    if row.id not in texts:
        raise ConfigError(
            what,
            f"none in the package {_minihack.find()}",
            "minihack 1.0.2",
            f"Upgrade it, or uninstall it and run `{_minihack.FILE.command}`",
        )
    return _levels.bank(library, [texts[row.id]], what)


@lru_cache(maxsize=64)
def _drawn(kind: str, settings: tuple[tuple[str, object], ...], count: int) -> tuple[str, ...]:
    return tuple(_generators.descriptions(kind, dict(settings), count))


def _read(own: str) -> str:
    """The text of a description; a text that ends with .des is a path."""
    if not own.strip().endswith(".des"):
        return own
    check_file(f"option des_file={own!r}", Path(own).expanduser(), _MOST_BYTES)
    try:
        return Path(own).expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"option des_file={own!r}",
            str(error),
            "the path of a .des file, or its text",
            "Correct the path",
        ) from None
