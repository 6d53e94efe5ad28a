# SPDX-License-Identifier: Apache-2.0
"""Families share a compiled engine where ENVPOOL_ENGINE_CACHE names a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pybind11
import pytest

CORE = Path(__file__).parents[2]
CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.20)
project({name} LANGUAGES CXX)
find_package(envpool CONFIG REQUIRED)
envpool_add_module(_{name} module.cc)
"""

Configure = Callable[..., str]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    """Configures a family and returns the steps that Ninja would take."""

    def run(name: str, core: Path = CORE, **variables: str) -> str:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "CMakeLists.txt").write_text(CMAKE_LISTS.format(name=name))
        (folder / "module.cc").touch()
        shutil.rmtree(folder / "build", ignore_errors=True)
        command = ["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build")]
        command += [f"-DPython_EXECUTABLE={sys.executable}", f"-Denvpool_ROOT={core}"]
        command += [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
        command += [f"-D{key}={value}" for key, value in variables.items()]
        own = {
            "ENVPOOL_ENGINE_CACHE": str(tmp_path / "kept"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # CMake and Ninja
        }
        subprocess.run(command, env={**os.environ, **own}, check=True, timeout=120)
        return (folder / "build" / "build.ninja").read_text()

    return run


def test_a_second_family_takes_the_library_of_the_first(configure: Configure) -> None:
    rules = configure("first")
    kept = Path(_kept(rules))
    assert "unity_engine" in rules
    assert _kept(configure("second")) == str(kept)
    kept.parent.mkdir()
    kept.touch()
    rules = configure("second")
    assert "unity_engine" not in rules
    assert str(kept) in rules


def test_other_sources_and_flags_have_a_library_of_their_own(
    configure: Configure, tmp_path: Path
) -> None:
    kept = _kept(configure("family"))
    assert _kept(configure("family", CMAKE_CXX_FLAGS="-march=native")) != kept
    assert _kept(configure("family", CMAKE_BUILD_TYPE="Debug")) != kept
    assert _kept(configure("family", CMAKE_CXX_STANDARD="23")) != kept
    core = tmp_path / "core"
    for part in ("include", "sources", "cmake"):
        shutil.copytree(CORE / part, core / part)
    assert _kept(configure("family", core)) == kept  # wherever it is
    header = core / "include" / "envpool" / "env.h"
    header.write_text(header.read_text() + "// edited\n")
    assert _kept(configure("family", core)) != kept


def _kept(rules: str) -> str:
    """The file that the library is copied to when it is compiled, or is taken from."""
    (path,) = {*re.findall(r"[^ ]*/kept/[0-9a-f]{64}\.a", rules)}
    return path
