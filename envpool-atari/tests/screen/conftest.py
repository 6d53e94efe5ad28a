# SPDX-License-Identifier: Apache-2.0
"""The scaling of screens as a small extension module, and real screens to scale."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import ale_py
import numpy as np
import pybind11
import pytest
from numpy.typing import NDArray

_HERE = Path(__file__).parent
_SOURCES = _HERE.parents[1] / "cpp"
_ROMS = Path(ale_py.__file__).parent / "roms"
_WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]

Screen = NDArray[np.uint8]

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


@pytest.fixture(scope="session")
def module_path(request: pytest.FixtureRequest) -> Path:
    """The compiled screen_module.cc; kept until a source or the compiler changes."""
    cache = request.config.cache
    assert cache is not None
    compiler = os.environ.get("CXX", "g++")
    source = _HERE / "screen_module.cc"
    paths = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
    system = [f"-isystem{path}" for path in (pybind11.get_include(), *sorted(paths))]
    # As a release build: optimised, and a product rounded before it is added.
    command = [compiler, "-std=c++20", "-O3", "-ffp-contract=off", *_WARNINGS, "-shared", "-fPIC"]
    command += ["-fvisibility=hidden", f"-I{_SOURCES}", *system, str(source)]
    version = subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout
    digest = hashlib.sha256(version + sys.version.encode() + repr(command).encode())
    for file in (source, _SOURCES / "simd.h", *sorted(_SOURCES.glob("screen/*.h"))):
        digest.update(file.name.encode() + file.read_bytes())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    folder = Path(cache.mkdir("envpool_atari_screen"))
    path = folder / digest.hexdigest()[:16] / f"screen_module{suffix}"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        # Another process may want the same: each writes a file of its own, the last one stays.
        fresh = path.with_name(f"{os.getpid()}{path.name}")
        done = subprocess.run(
            [*command, "-o", str(fresh)], capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == 0, done.stderr
        fresh.replace(path)
    return path


@pytest.fixture(scope="session")
def module(module_path: Path) -> ModuleType:
    """`Scaler`, `palette` and the kinds of vector instructions of this machine."""
    spec = importlib.util.spec_from_file_location("screen_module", module_path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="session")
def kinds(module: ModuleType) -> list[str]:
    """The kinds of vector instructions that this machine has."""
    return [name for name in ("portable", "neon", "avx2", "avx512") if module.has_simd(name)]


@pytest.fixture(scope="session")
def play() -> Callable[[str, int], list[Screen]]:
    """``play(game, n)``: the screens of n successive frames of a random game (height, 160)."""

    def screens(game: str, count: int) -> list[Screen]:
        ale = ale_py.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.loadROM(str(_ROMS / f"{game}.bin"))
        actions = ale.getMinimalActionSet()
        rng = np.random.default_rng(1)
        for _ in range(60):
            ale.act(actions[rng.integers(len(actions))])
        taken = []
        for _ in range(count):
            ale.act(actions[rng.integers(len(actions))])
            taken.append(ale.getScreen().copy())
        return taken

    return screens
