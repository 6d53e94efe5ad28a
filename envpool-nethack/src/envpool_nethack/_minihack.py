# SPDX-License-Identifier: Apache-2.0
"""The package minihack: its place, and the levels of its tasks.

These places are searched, in this order:

1. the environment variable ENVPOOL_MINIHACK, the folder of the package
2. the package minihack, which is not imported
3. the user's cache, into which `envpool nethack prepare` brings minihack 1.0.2
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import lru_cache
from pathlib import Path

from envpool.errors import ConfigError, MissingPackageError

from . import _library

__all__ = ["PREPARE", "bring", "find", "texts"]

PREPARE = "envpool nethack prepare"
_VARIABLE = "ENVPOOL_MINIHACK"
_REQUIREMENT = "minihack==1.0.2"


def find() -> Path:
    """The package's folder.

    Raises:
        ConfigError: If the environment variable's folder does not have it.
        MissingPackageError: If no place has it.
    """
    if value := os.environ.get(_VARIABLE):
        if not _is_package(Path(value)):
            raise ConfigError(
                f"${_VARIABLE}",
                f"{value!r}, where there is no minihack",
                "the folder of the package, with level_generator.py in it",
                "Correct the variable, or unset it",
            )
        return Path(value).resolve()
    # Importing it would import nle and Gymnasium.
    spec = importlib.util.find_spec("minihack")
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    for folder in (*folders, _brought()):
        if _is_package(folder):
            return folder.resolve()
    raise MissingPackageError(
        "the levels of MiniHack",
        f"no package minihack, nor one in {_brought()}",
        "the package minihack, or what a command of this family brings",
        f"Run `{PREPARE}`",
    )


def bring() -> Path:
    """Downloads the package by pip, if no place has it, and returns its folder.

    Raises:
        ConfigError: If the download fails; contains pip's output.
    """
    try:
        return find()
    except MissingPackageError:
        pass
    folder = _brought().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--no-binary", "minihack", "--dest", place]
        done = subprocess.run([*command, _REQUIREMENT], capture_output=True, text=True, check=False)
        archives = list(Path(place).glob("minihack-*.tar.gz"))
        if done.returncode != 0 or not archives:
            raise ConfigError(
                f"`pip download {_REQUIREMENT}`",
                f"exit status {done.returncode}: {done.stderr.strip()[-500:]}",
                "a package index that has it, and a connection to it",
                f"Try again, or set {_VARIABLE} to the folder of a minihack that you have",
            )
        with tarfile.open(archives[0]) as archive:
            archive.extractall(place, filter="data")
        (package,) = Path(place).glob("minihack-*/minihack")
        shutil.rmtree(_brought(), ignore_errors=True)
        package.replace(_brought())
    return _brought()


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
            _REQUIREMENT,
            f"Install that version, or set {_VARIABLE} to one",
        )
    _library.write(file, done.stdout.encode())
    return dict(json.loads(done.stdout))


def _state(package: Path) -> str:
    """A hash of the files' present state."""
    files = [*package.glob("*.py"), *package.glob("envs/*.py"), *package.glob("dat/*.des")]
    known = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(files)]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:16]


def _brought() -> Path:
    return _library.levels_cache() / "minihack"


def _is_package(folder: Path) -> bool:
    return (folder / "level_generator.py").is_file() and (folder / "lib" / "dungeon").is_file()
