# SPDX-License-Identifier: Apache-2.0
"""The package minihack: its place, and the levels of its tasks."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from envpool.errors import ConfigError, MissingPackageError
from envpool.package_files import PackageFile

from . import _library

__all__ = ["FILE", "bring", "find", "texts"]

FILE = PackageFile(
    title="the levels of MiniHack",
    name="lib/dungeon",
    inside=("lib/dungeon", "minihack-1.0.2/minihack/lib/dungeon"),
    option="",
    variable="ENVPOOL_MINIHACK",
    # An import of minihack would import nle and Gymnasium.
    packages=("minihack",),
    requirement="minihack==1.0.2",
    download=("--no-binary=minihack",),
    command="envpool nethack prepare",
    cache="nethack-levels/minihack",
)
"""A file of the package, two folders below its own."""


def find() -> Path:
    """The package's folder.

    Raises:
        ConfigError: If the environment variable's folder does not have it.
        MissingPackageError: If no place has it.
    """
    return FILE.find().parents[1]


def bring() -> Path:
    """Downloads the package by pip, if no place has it, and returns its folder.

    Raises:
        ConfigError: If the download fails; contains pip's output.
    """
    try:
        return find()
    except MissingPackageError:
        return FILE.fetch().parents[1]


def texts(package: Path) -> dict[str, str]:
    """Descriptions of levels by ids, without those of tasks with another level in each episode.

    They are read once for a package, and kept in the cache.

    Raises:
        ConfigError: If the package differs from minihack 1.0.2.
    """
    return dict(_texts(package, _state(package)))


@lru_cache(maxsize=4)
def _texts(package: Path, state: str) -> dict[str, str]:
    file = _library.levels_cache() / f"texts-{state}.json"
    if file.is_file():
        return dict(json.loads(file.read_text()))
    program = Path(__file__).with_name("_level_texts.py")
    done = subprocess.run(
        [sys.executable, "-I", str(program), str(package)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode != 0:
        raise ConfigError(
            f"the levels of {package}",
            (done.stderr.strip().splitlines() or ["no message"])[-1],
            FILE.requirement,
            f"Install that version, or set {FILE.variable} to one",
        )
    _library.write(file, done.stdout.encode())
    return dict(json.loads(done.stdout))


def _state(package: Path) -> str:
    """A hash of the files' present state."""
    files = [*package.glob("*.py"), *package.glob("envs/*.py"), *package.glob("dat/*.des")]
    known = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(files)]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:16]
