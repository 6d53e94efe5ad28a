# SPDX-License-Identifier: Apache-2.0
"""Files of packages that a family reads, but neither contains nor imports.

A licence may forbid a wheel to contain them, or the package's requirements may be in the way of a
user's. A command of the family then downloads the package by pip into the user's cache.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .errors import ConfigError, MissingPackageError

__all__ = ["PackageFile", "Place", "user_cache"]


class Place(NamedTuple):
    """A place in which a file may be.

    Attributes:
        source: The variable, package or folder that names the place.
        file: The file; None if the place does not have it.
    """

    source: str
    file: Path | None


def user_cache() -> Path:
    """The folder for files that `envpool` keeps for the user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envpool"


@dataclass(frozen=True)
class PackageFile:
    """A file of a package, by which the package's other files are found.

    These places are searched, in this order: a path that the user passes as an option, an
    environment variable, packages that can be imported but are not, and the user's cache.

    Attributes:
        title: The subject of messages, "the game of NetHack".
        name: The file's name, "libnethack.so".
        inside: The file's paths in a folder that the user names, in a package, or in the cache.
        option: The option with the path; "" if there is none.
        variable: The environment variable with the path.
        packages: Names of packages.
        requirement: The requirement that pip downloads, "nle==1.3.0".
        download: Options of pip that choose a wheel or the sdist.
        command: The command that calls `fetch`, "envpool nethack fetch".
        cache: The folder that `fetch` fills, below `user_cache()`.
    """

    title: str
    name: str
    inside: tuple[str, ...]
    option: str
    variable: str
    packages: tuple[str, ...]
    requirement: str
    download: tuple[str, ...]
    command: str
    cache: str

    @property
    def folder(self) -> Path:
        """The folder that `fetch` fills."""
        return user_cache() / self.cache

    def at(self, path: str | os.PathLike[str]) -> Path | None:
        """The file at a path or in a folder; None if it is not there."""
        given = Path(path).expanduser()
        if given.is_file():
            return given
        return next((given / name for name in self.inside if (given / name).is_file()), None)

    def places(self) -> Iterator[Place]:
        """All places but the option, in the order of the search."""
        value = os.environ.get(self.variable)
        yield Place(f"${self.variable}", self.at(value) if value else None)
        for package in self.packages:
            # An import of the package may be slow, print warnings, or fail.
            spec = importlib.util.find_spec(package)
            folders = (spec.submodule_search_locations if spec is not None else None) or []
            found = [file for folder in folders if (file := self.at(folder))]
            yield Place(f"the package {package}", found[0] if found else None)
        yield Place(f"{self.folder}, which `{self.command}` fills", self.at(self.folder))

    def find(self, path: str = "") -> Path:
        """The file of the first place that has it.

        Args:
            path: The value of the option; "" if it was not passed.

        Raises:
            ConfigError: If the path, or the environment variable's path, does not have the file.
            MissingPackageError: If no place has the file.
        """
        if path:
            hint = f"Correct the path, or leave it out and run `{self.command}`"
            return self._named(f"option {self.option}", path, hint)
        if value := os.environ.get(self.variable):
            return self._named(f"${self.variable}", value, "Correct the variable, or unset it")
        places = list(self.places())
        for place in places:
            if place.file is not None:
                return place.file.resolve()
        raise MissingPackageError(
            self.title,
            "none in " + ", ".join(place.source for place in places),
            f"the package {self.requirement}, or the files that `{self.command}` downloads",
            f"Run `{self.command}`, or `pip install --no-deps {self.requirement}`",
        )

    def _named(self, source: str, path: str, hint: str) -> Path:
        if (file := self.at(path)) is not None:
            return file.resolve()
        allowed = f"that file, or a folder with {self.inside[0]} in it"
        raise ConfigError(source, f"{path!r}, where there is no {self.name}", allowed, hint)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Waits for other processes that fill the cache."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with self.folder.with_name(f"{self.folder.name}.lock").open("w") as lock:
            if sys.platform != "win32":  # which has no such lock
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def fetch(self, again: bool = False) -> Path:
        """Downloads the package into the cache, if the cache lacks the file, and returns the file.

        Nothing else is installed, and nothing is imported from the package.

        Args:
            again: Downloads the package even if the cache has the file.

        Raises:
            MissingPackageError: If there is no pip.
            ConfigError: If the download fails; contains pip's output.
        """
        with self.locked():
            if again or self.at(self.folder) is None:
                self._download()
            file = self.at(self.folder)
        assert file is not None, f"{self.requirement} has none of {self.inside}"
        return file

    def _download(self) -> None:
        if importlib.util.find_spec("pip") is None:
            raise MissingPackageError(
                f"`{self.command}`",
                f"no pip in {sys.prefix}",
                "an environment with pip, which downloads the package",
                f"Install pip, or {self.requirement} by `--no-deps`",
            )
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as place:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            command += ["--disable-pip-version-check", *self.download, "--dest", place]
            done = subprocess.run(
                [*command, self.requirement], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                raise ConfigError(
                    f"`pip download {self.requirement}`",
                    f"exit status {done.returncode}: {done.stderr.strip()[-500:]}",
                    "a package index that has it, and a connection to it",
                    f"Try again, or set {self.variable} to the {self.name} that you have",
                )
            (archive,) = Path(place).iterdir()
            ready = Path(place) / "ready"
            if archive.suffix == ".whl":
                shutil.unpack_archive(archive, ready, "zip")
            else:
                shutil.unpack_archive(archive, ready, filter="data")
            shutil.rmtree(self.folder, ignore_errors=True)
            ready.replace(self.folder)
