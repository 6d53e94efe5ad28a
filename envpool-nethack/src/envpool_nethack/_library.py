# SPDX-License-Identifier: Apache-2.0
"""The game: finds `libnethack.so` and its data `nhdat`, and says how to get them.

These places are searched, in this order:

1. the option library_path
2. the environment variable ENVPOOL_NETHACK_LIBRARY
3. the package nle, which is not imported
4. the user's cache, into which `envpool nethack fetch` brings nle 1.3.0's files

Each is the file libnethack.so, or a folder with it; `nethackdir/nhdat` is beside that file.
"""

from __future__ import annotations

import importlib.util
import os
import struct
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from envpool.errors import ConfigError, MissingPackageError

__all__ = ["FETCH", "LIBRARY", "VARIABLE", "cache", "check", "data_of", "find", "levels_cache"]
__all__ += ["places", "tiles_of", "write"]

VARIABLE = "ENVPOOL_NETHACK_LIBRARY"
FETCH = "envpool nethack fetch"
LIBRARY = "libnethack.so"
_ELF = struct.Struct("<16xHHIQQQIHHH")  # 64 bits: ..., place of segments, ..., size, number
_SEGMENT = struct.Struct("<IIQQQQ")  # kind, flags, place, addresses, bytes in the file
_WANTED = "libnethack.so of nle 1.2 or newer, or a folder with it"


class Place(NamedTuple):
    """A place in which the game may be.

    Attributes:
        source: The option, variable or package that names the place.
        library: The file; None if there is none.
    """

    source: str
    library: Path | None


def cache() -> Path:
    """The folder that `envpool nethack fetch` fills."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "envpool" / "nethack"


def levels_cache() -> Path:
    """The folder with levels of MiniHack."""
    return cache().with_name("nethack-levels")


def write(file: Path, content: bytes) -> None:
    """Writes a file of a cache atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as half:
        half.write(content)
    Path(half.name).replace(file)


def data_of(library: Path) -> Path:
    """The data of a library."""
    return library.parent / "nethackdir" / "nhdat"


def tiles_of(library: Path) -> str:
    """The folder with pictures of places; empty if there is none."""
    folder = library.parent / "nethackdir" / "tiles"
    return str(folder) if folder.is_dir() else ""


def _in(folder: Path) -> Path | None:
    """The library at a path or in a folder."""
    if folder.is_file():
        return folder
    for inside in (folder / LIBRARY, folder / "nle" / LIBRARY):
        if inside.is_file():
            return inside
    return None


def places() -> Iterator[Place]:
    """All places but the option, in the order of the search."""
    value = os.environ.get(VARIABLE)
    yield Place(f"${VARIABLE}", _in(Path(value).expanduser()) if value else None)
    # Importing it would import Gymnasium, of which it requires one version.
    spec = importlib.util.find_spec("nle")
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    found = [library for folder in folders if (library := _in(Path(folder)))]
    yield Place("the package nle", found[0] if found else None)
    yield Place(f"{cache()}, which `{FETCH}` fills", _in(cache()))


def find(path: str = "") -> Path:
    """The library of the first place that has one.

    Args:
        path: The option library_path.

    Raises:
        ConfigError: If the path, or the environment variable's path, has no library.
        MissingPackageError: If no place has a library.
    """
    if path:
        given = _in(Path(path).expanduser())
        if given is None:
            raise ConfigError(
                f"library_path={path!r}",
                f"no {LIBRARY} there",
                _WANTED,
                f"Correct the path, or leave it out and run `{FETCH}`",
            )
        return given.resolve()
    for place in places():
        if place.library is not None:
            return place.library.resolve()
        if place.source == f"${VARIABLE}" and os.environ.get(VARIABLE):
            raise ConfigError(
                place.source,
                f"{os.environ[VARIABLE]!r}, where there is no {LIBRARY}",
                _WANTED,
                "Correct the variable, or unset it",
            )
    raise MissingPackageError(
        "the game of NetHack",
        "none in " + ", ".join(place.source for place in places()),
        "the package nle, or what a command of this family brings",
        f"Run `{FETCH}`, or `pip install --no-deps nle`",
    )


def check(library: Path) -> None:
    """Refuses a library without its data, versions before nle 1.2, and damaged or other files.

    Raises:
        ConfigError: If the library is refused.
    """
    data = data_of(library)
    if not data.is_file():
        raise ConfigError(
            f"the game {library}",
            f"no {data}",
            f"{LIBRARY} beside the folder nethackdir of its package",
            f"Install the package nle again, or run `{FETCH}`",
        )
    version = _version(library)
    if version is not None and version < (1, 2):
        got = ".".join(map(str, version))
        raise ConfigError(
            f"the game {library}",
            f"nle {got}, whose games begin by another call",
            "nle 1.2 or newer",
            f"Upgrade nle, or set {VARIABLE}; `{FETCH}` brings nle 1.3.0",
        )
    for file, problem in ((library, _problem_of_library), (data, _problem_of_data)):
        state = file.stat()
        if got := problem(file, state.st_size, state.st_mtime_ns):
            raise ConfigError(
                f"the game {file}",
                got,
                f"a whole {file.name} of nle 1.2 or newer",
                f"Install the package nle again, or run `{FETCH} --again`",
            )


@lru_cache(maxsize=16)
def _problem_of_library(library: Path, size: int, _changed: int) -> str:
    """The reason why a file is not the game, or "". The system's loader would crash on it."""
    code = library.read_bytes()
    if not code.startswith(b"\x7fELF") or size < _ELF.size:
        return "a file that is no shared library"
    _, _, _, _, segments, _, _, _, entry, count = _ELF.unpack_from(code)
    for i in range(count):
        place = segments + i * entry
        if place + _SEGMENT.size > size:
            return f"a library that is cut off after {size:,} bytes"
        _, _, start, _, _, length = _SEGMENT.unpack_from(code, place)
        if start + length > size:
            return f"a library that is cut off after {size:,} bytes"
    return "" if b"nle_start\0" in code else "a library without the function nle_start"


@lru_cache(maxsize=16)
def _problem_of_data(data: Path, size: int, _changed: int) -> str:
    """The reason why a file is not NetHack's archive (its first line ends with its size)."""
    with data.open("rb") as file:
        line = file.readline(200).split()
    if len(line) != 5 or not all(number.isdigit() for number in line):
        return "a file that is no archive of NetHack's"
    return "" if size >= int(line[4]) else f"an archive that is cut off after {size:,} bytes"


def _version(library: Path) -> tuple[int, int] | None:
    """The version of the library's package; None if it is unknown."""
    for folder in library.parent.parent.glob("nle-*.dist-info"):
        numbers = folder.name.removeprefix("nle-").removesuffix(".dist-info").split(".")
        if len(numbers) >= 2 and numbers[0].isdigit() and numbers[1].isdigit():
            return int(numbers[0]), int(numbers[1])
    return None
