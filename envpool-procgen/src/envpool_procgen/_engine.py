# SPDX-License-Identifier: Apache-2.0
"""Procgen's engine and images: finds them and the libraries they need, and says how to get them.

These places are searched, in this order:

1. the option engine_path
2. the environment variable ENVPOOL_PROCGEN_ENGINE
3. the packages procgen and procgen_gym, which are not imported
4. the user's cache, into which `envpool procgen fetch` brings the engine of procgen 0.10.7

Each is the file libenv.so, or a folder with data/prebuilt/libenv.so in it.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from envpool.errors import ConfigError, MissingPackageError

__all__ = [
    "FETCH",
    "VARIABLE",
    "ZLIB",
    "cache",
    "check",
    "check_zlib",
    "find",
    "missing_images",
    "missing_libraries",
    "places",
]

VARIABLE = "ENVPOOL_PROCGEN_ENGINE"
FETCH = "envpool procgen fetch"
_LIBRARY = Path("data", "prebuilt", "libenv.so")
_PACKAGES = ("procgen", "procgen_gym")
# The distributions with these packages; frames of other distributions may differ.
REFERENCE = "procgen"
_DISTRIBUTIONS = (REFERENCE, "procgen-mirror", "procgen2", "procgen-gym")
ZLIB = "libz.so.1"
"""The library of the system that decompresses images for games that are computed here."""
# Packages of Debian and Ubuntu, by names of libraries that engines need and systems may lack.
_DEBIAN = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    ZLIB: "zlib1g",
}
# The names of images in an engine's file. Parts of other texts may precede a name.
_FOLDER = rb"(?:kenney(?:-abstract)?|misc_assets|platformer|[a-z]+_backgrounds(?:_2)?)/"
_IMAGE = re.compile(rb"%b(?:(?!%b)[ -~])+?\.png(?=\0)" % (_FOLDER, _FOLDER))
_PNG = b"\x89PNG\r\n\x1a\n"


class Place(NamedTuple):
    """A place in which an engine may be.

    Attributes:
        source: The option, variable or package that names the place.
        library: The file; None if there is none.
    """

    source: str
    library: Path | None


def cache() -> Path:
    """The folder that `envpool procgen fetch` fills."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "envpool" / "procgen"


def _in(folder: Path) -> Path | None:
    """The library at a path or in a folder."""
    if folder.is_file():
        return folder
    for inside in (folder / _LIBRARY, folder / "libenv.so", folder / "procgen" / _LIBRARY):
        if inside.is_file():
            return inside
    return None


def places() -> Iterator[Place]:
    """All places but the option, in the order of the search."""
    value = os.environ.get(VARIABLE)
    yield Place(f"${VARIABLE}", _in(Path(value).expanduser()) if value else None)
    for package in _PACKAGES:
        # Importing the package would warn of an old Gym, and fail with a new NumPy.
        spec = importlib.util.find_spec(package)
        folders = (spec.submodule_search_locations if spec is not None else None) or []
        found = [library for folder in folders if (library := _in(Path(folder)))]
        yield Place(f"the package {package}", found[0] if found else None)
    yield Place(f"{cache()}, which `{FETCH}` fills", _in(cache()))


def find(path: str = "") -> Path:
    """The library of the first place that has one.

    Args:
        path: The option engine_path.

    Raises:
        ConfigError: If the path, or the environment variable's path, has no engine.
        MissingPackageError: If no place has an engine.
    """
    if path:
        given = _in(Path(path).expanduser())
        if given is None:
            raise ConfigError(
                f"engine_path={path!r}",
                "no libenv.so there",
                "that file, or a folder with data/prebuilt/libenv.so in it",
                f"Correct the path, or leave it out and run `{FETCH}`",
            )
        return given.resolve()
    for place in places():
        if place.library is not None:
            return place.library.resolve()
        if place.source == f"${VARIABLE}" and os.environ.get(VARIABLE):
            raise ConfigError(
                place.source,
                f"{os.environ[VARIABLE]!r}, where there is no libenv.so",
                "that file, or a folder with data/prebuilt/libenv.so in it",
                "Correct the variable, or unset it",
            )
    raise MissingPackageError(
        "the engine and the images of Procgen",
        "none in " + ", ".join(place.source for place in places()),
        "a package of Procgen, or what a command of this family brings",
        f"Run `{FETCH}`, or `pip install --no-deps procgen`",
    )


def distribution_of(library: Path) -> str:
    """A library's distribution, as "procgen-mirror 0.10.7"; "" if it is unknown.

    Its metadata lie beside the package, in the cache, too.
    """
    folder = str(library.parents[min(3, len(library.parents) - 1)])
    return ", ".join(
        f"{name} {distribution.version}"
        for name in _DISTRIBUTIONS
        for distribution in importlib.metadata.distributions(name=name, path=[folder])
    )


def is_reference(distribution: str) -> bool:
    """True if frames of this distribution are known to equal the reference's."""
    return distribution.split(" ")[0] in ("", REFERENCE)


def hidden() -> Path | None:
    """The library of the cache, if `find` prefers a package with other frames to it."""
    brought = _in(cache())
    found = next((place for place in places() if place.library is not None), None)
    if brought is None or found is None or found.library is None:
        return None
    if not found.source.startswith("the package") or is_reference(distribution_of(found.library)):
        return None
    return brought


def missing_libraries(library: Path) -> list[str]:
    """Libraries of the system that an engine needs and that are missing."""
    text = library.read_bytes()
    return _missing(name for name in _DEBIAN if name.encode() + b"\0" in text)


def _missing(names: Iterable[str]) -> list[str]:
    missing = []
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def install_command(names: list[str]) -> str:
    """The Debian command that installs these libraries."""
    return f"apt-get install {' '.join(sorted({_DEBIAN[name] for name in names}))}"


def missing_images(library: Path) -> list[str]:
    """An engine's images that are missing or not PNG files: it would end the process."""
    assets = library.parent.parent / "assets"
    names = {found.decode() for found in _IMAGE.findall(library.read_bytes())}
    return sorted(name for name in names if not _is_png(assets / name))


def _is_png(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_PNG)) == _PNG
    except OSError:
        return False


def check_zlib(asked: str) -> None:
    """Refuses a system without zlib.

    Args:
        asked: The subject of the message.

    Raises:
        MissingPackageError: If it is missing.
    """
    _refuse_missing(asked, _missing([ZLIB]))


def _refuse_missing(asked: str, names: list[str]) -> None:
    if names:
        raise MissingPackageError(
            asked,
            f"no {', '.join(names)} on this system",
            "a system with the libraries that Procgen's games need",
            f"Run `{install_command(names)}`, or install what has them in your system",
        )


@functools.lru_cache(maxsize=8)
def check(library: Path) -> None:
    """Refuses an engine that cannot be loaded, or that would end the process.

    Raises:
        MissingPackageError: If a library of the system is missing.
        ConfigError: If images are missing.
    """
    _refuse_missing(f"the engine {library}", missing_libraries(library))
    if images := missing_images(library):
        raise ConfigError(
            f"the engine {library}",
            f"{len(images)} of its images missing, as {images[0]!r}",
            f"all of its images in {library.parent.parent / 'assets'}",
            f"Install its package again, or run `{FETCH}`",
        )
