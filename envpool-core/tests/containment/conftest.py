# SPDX-License-Identifier: Apache-2.0
"""Folders that look like site-packages: modules, extension modules, and the metadata of wheels."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
CC = os.environ.get("CC", "cc")

# A plugin that works, whose environment is no compiled one.
GOOD = """
    from envpool import Task, hookimpl

    @hookimpl
    def envpool_tasks():
        yield Task("Good-v0", "fake_family:COUNTER")
"""
# The place of its environment.
FAKES = Path(__file__).parents[1] / "python"


class Site:
    """A folder on Python's path.

    Attributes:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> None:
        """Writes a module, or any file whose name has a dot."""
        path = self.folder / (name if "." in name else f"{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")

    def wheel(
        self, name: str, modules: Mapping[str, str], module: str = "", entry_points: str = ""
    ) -> None:
        """Installs modules and the metadata of the wheel envpool-`name`, version 1.5."""
        for module_name, text in modules.items():
            self.write(module_name, text)
        info = f"envpool_{name}-1.5.dist-info"
        self.write(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: envpool-{name}\nVersion: 1.5")
        entry_points = entry_points or f"[envpool]\n{name} = {module or f'{name}_plugin'}\n"
        self.write(f"{info}/entry_points.txt", entry_points)

    def extension(self, name: str, code: str, *flags: str) -> Path:
        """Compiles an extension module of C, without a check of the libraries that it needs."""
        source = self.folder / f"{name}.c"
        source.write_text(code, encoding="utf-8")
        path = self.folder / f"{name}{SUFFIX}"
        compile_c(source, path, *flags)
        return path

    def run(self, code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a program with the folder on its path."""
        path = os.pathsep.join(
            map(str, filter(None, [self.folder, FAKES, os.environ.get("PYTHONPATH")]))
        )
        environment = {**os.environ, "PYTHONPATH": path, **variables}
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )


def compile_c(source: Path, path: Path, *flags: str) -> None:
    """A shared library of a C source."""
    include = f"-I{sysconfig.get_path('include')}"
    command = [CC, "-shared", "-fPIC", include, str(source), "-o", str(path), *flags]
    subprocess.run(command, check=True, timeout=60)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A folder with one plugin that works."""
    folder = tmp_path / "site"
    folder.mkdir()
    made = Site(folder)
    made.wheel("good", {"good_plugin": GOOD})
    return made


@pytest.fixture
def compile_library() -> Callable[..., None]:
    """`compile_c`."""
    return compile_c
