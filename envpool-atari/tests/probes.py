# SPDX-License-Identifier: Apache-2.0
"""Compiles C++ parts of this wheel as Python modules for the tests, and keeps what it compiled.

    games_probe = load("games/games_probe.cc")

Results are in out/probes/ of the checkout, one folder for each state of the sources.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pybind11

TESTS = Path(__file__).parent
WHEEL = TESTS.parent
CPP = WHEEL / "cpp"
CORE = WHEEL.parent / "envpool-core" / "include"
CXX = os.environ.get("CXX", "g++")
# As a release build.
FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-pthread"]
_PYTHON = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
FLAGS += [f"-I{path}" for path in (CPP, CORE, pybind11.get_include(), *sorted(_PYTHON))]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def load(source: str) -> ModuleType:
    """The module of a source below tests/, linked with the console, compiled if it has changed.

    Raises:
        RuntimeError: The compiler complains.
    """
    path = _module(TESTS / source)
    spec = importlib.util.spec_from_file_location(path.name.removesuffix(SUFFIX), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _module(source: Path) -> Path:
    units = [source, *sorted((CPP / "console").glob("*.cc"))]
    digest = hashlib.sha256(repr((CXX, FLAGS, sys.version)).encode())
    for file in [*units, *sorted(CPP.rglob("*.h")), *sorted(CORE.rglob("*.h"))]:
        digest.update(file.read_bytes())
    folder = WHEEL.parent / "out" / "probes" / digest.hexdigest()[:16]
    path = folder / f"{source.stem}{SUFFIX}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Another process may want the same: each writes files of its own, the last one stays.
        objects = [folder / f"{os.getpid()}-{unit.stem}.o" for unit in units]
        commands = [["-c", str(u), "-o", str(o)] for u, o in zip(units, objects, strict=True)]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(_compile, commands))
        fresh = folder / f"{os.getpid()}-{path.name}"
        _compile(["-shared", *map(str, objects), "-o", str(fresh)])
        fresh.replace(path)
        for file in objects:
            file.unlink()
    return path


def _compile(arguments: list[str]) -> None:
    done = subprocess.run(
        [CXX, *FLAGS, *arguments], capture_output=True, text=True, timeout=500, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
