# SPDX-License-Identifier: Apache-2.0
"""`envpool procgen fetch`: brings Procgen's engine and images into the user's cache.

It is an ordinary download by pip of one wheel. The wheel's engine does not use Python and so works
beside any version of it. No other package is installed, and nothing is imported from it.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from envpool.errors import ConfigError, MissingPackageError

from . import _engine

__all__ = ["fetch", "install_libraries"]

_REQUIREMENT = "procgen==0.10.7"
# The build with the fewest requirements: it contains Qt, and needs no OpenGL.
_WHEEL = ("--python-version", "3.10", "--platform", "manylinux2014_x86_64")


def fetch(again: bool = False) -> Path:
    """Brings the engine, if it is missing, and returns its path.

    Args:
        again: Also if the engine is there.

    Raises:
        MissingPackageError: If there is no pip.
        ConfigError: If the download fails; contains pip's output.
    """
    folder = _engine.cache()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent / "procgen.lock"):
        library = folder / "procgen" / "data" / "prebuilt" / "libenv.so"
        if again or not library.is_file():
            _bring(folder)
        return library


def install_libraries(library: Path) -> None:
    """Installs the Debian packages that an engine needs and the system lacks.

    Raises:
        ConfigError: If that fails, or is not permitted.
    """
    with _alone(_engine.cache().parent / "procgen.lock"):
        missing = _engine.missing_libraries(library)
        if not missing:
            return
        command = _engine.install_command(missing)
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
        if got or _engine.missing_libraries(library):
            raise ConfigError(
                f"`{_engine.FETCH} --system`",
                got or f"{command} that did not bring {', '.join(missing)}",
                "a Debian or Ubuntu, as root",
                f"Run `{command}`, or install the packages of your system that have them",
            )


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Waits for other processes that do the same."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _bring(folder: Path) -> None:
    if importlib.util.find_spec("pip") is None:
        raise MissingPackageError(
            f"`{_engine.FETCH}`",
            f"no pip in {sys.prefix}",
            "an environment with pip, which downloads the package",
            "Install pip, or any package of Procgen by `--no-deps`",
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
                "Try again, or set ENVPOOL_PROCGEN_ENGINE to an engine that you have",
            )
        (wheel,) = Path(place).glob("*.whl")
        ready = Path(place) / "ready"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(ready)
        shutil.rmtree(folder, ignore_errors=True)
        ready.replace(folder)
