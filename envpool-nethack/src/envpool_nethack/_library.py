# SPDX-License-Identifier: Apache-2.0
"""The game: its `libnethack.so`, its data `nhdat`, and refusals of damaged files."""

from __future__ import annotations

import struct
import tempfile
from functools import lru_cache
from pathlib import Path

from envpool.errors import ConfigError
from envpool.package_files import PackageFile, user_cache

__all__ = ["FILE", "check", "data_of", "levels_cache", "tiles_of", "write"]

FILE = PackageFile(
    title="the game of NetHack",
    name="libnethack.so",
    inside=("libnethack.so", "nle/libnethack.so"),
    option="library_path",
    variable="ENVPOOL_NETHACK_LIBRARY",
    # An import of nle would import Gymnasium, of which it requires one version.
    packages=("nle",),
    requirement="nle==1.3.0",
    # The library does not use Python, and so works beside any version of it.
    download=("--only-binary=:all:", "--python-version=3.12", "--platform=manylinux2014_x86_64"),
    command="envpool nethack fetch",
    cache="nethack",
)
"""The game's library; `nethackdir/nhdat` is beside it."""
_ELF = struct.Struct("<16xHHIQQQIHHH")  # 64 bits: ..., place of segments, ..., size, number
_SEGMENT = struct.Struct("<IIQQQQ")  # kind, flags, place, addresses, bytes in the file


def levels_cache() -> Path:
    """The folder with levels of MiniHack."""
    return user_cache() / "nethack-levels"


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
            f"{FILE.name} beside the folder nethackdir of its package",
            f"Install the package nle again, or run `{FILE.command}`",
        )
    version = _version(library)
    if version is not None and version < (1, 2):
        got = ".".join(map(str, version))
        raise ConfigError(
            f"the game {library}",
            f"nle {got}, whose games begin by another call",
            "nle 1.2 or newer",
            f"Upgrade nle, or set {FILE.variable}; `{FILE.command}` brings nle 1.3.0",
        )
    for file, problem in ((library, _problem_of_library), (data, _problem_of_data)):
        state = file.stat()
        if got := problem(file, state.st_size, state.st_mtime_ns):
            raise ConfigError(
                f"the game {file}",
                got,
                f"a whole {file.name} of nle 1.2 or newer",
                f"Install the package nle again, or run `{FILE.command} --again`",
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
