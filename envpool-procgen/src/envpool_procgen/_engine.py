# SPDX-License-Identifier: Apache-2.0
"""Procgen's engine and images, and the libraries of the system that they need."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from envpool.errors import ConfigError, MissingPackageError
from envpool.package_files import PackageFile

__all__ = [
    "FILE",
    "ZLIB",
    "check",
    "check_zlib",
    "install_libraries",
    "missing_images",
    "missing_libraries",
]

FILE = PackageFile(
    title="the engine and the images of Procgen",
    name="libenv.so",
    inside=("data/prebuilt/libenv.so", "libenv.so", "procgen/data/prebuilt/libenv.so"),
    option="engine_path",
    variable="ENVPOOL_PROCGEN_ENGINE",
    packages=("procgen", "procgen_gym"),
    requirement="procgen==0.10.7",
    # The build with the fewest requirements: it contains Qt, and needs no OpenGL. Its engine does
    # not use Python, and so works beside any version of it.
    download=("--only-binary=:all:", "--python-version=3.10", "--platform=manylinux2014_x86_64"),
    command="envpool procgen fetch",
    cache="procgen",
)
"""The engine's library, in whose package the images are."""
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
    """The library of the cache, if the search prefers a package with other frames to it."""
    brought = FILE.at(FILE.folder)
    found = next((place for place in FILE.places() if place.file is not None), None)
    if brought is None or found is None or found.file is None:
        return None
    if not found.source.startswith("the package") or is_reference(distribution_of(found.file)):
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


def install_libraries(library: Path) -> None:
    """Installs the Debian packages that an engine needs and the system lacks.

    Raises:
        ConfigError: If that fails, or is not permitted.
    """
    with FILE.locked():
        missing = missing_libraries(library)
        if not missing:
            return
        command = install_command(missing)
        got = "no right to install packages" if os.geteuid() else ""
        for words in (["apt-get", "update"], [*command.split(), "--yes"]):
            if got:
                break
            wait = [*words, "--quiet", "-o", "DPkg::Lock::Timeout=300"]
            try:
                done = subprocess.run(wait, capture_output=True, text=True, check=False)
            except FileNotFoundError:
                got = "no apt-get on this system"
            else:
                got = done.stderr.strip()[-500:] if done.returncode else ""
        if got or missing_libraries(library):
            raise ConfigError(
                f"`{FILE.command} --system`",
                got or f"{command} that did not bring {', '.join(missing)}",
                "a Debian or Ubuntu, as root",
                f"Run `{command}`, or install the packages of your system that have them",
            )


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
            f"Install its package again, or run `{FILE.command}`",
        )
