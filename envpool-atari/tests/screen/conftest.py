# SPDX-License-Identifier: Apache-2.0
"""The scaling of screens as a small extension module, and real screens to scale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import ale_py
import numpy as np
import pytest
from compiling import extension, load
from numpy.typing import NDArray

_HERE = Path(__file__).parent
_ROMS = Path(ale_py.__file__).parent / "roms"

Screen = NDArray[np.uint8]

ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


@pytest.fixture(scope="session")
def module_path() -> Path:
    """The compiled screen_module.cc."""
    # As a release build: optimised, and a product rounded before it is added.
    flags = ("-O3", "-ffp-contract=off", f"-I{_HERE.parents[1] / 'cpp'}")
    return extension(_HERE / "screen_module.cc", *flags)


@pytest.fixture(scope="session")
def module(module_path: Path) -> ModuleType:
    """`Scaler`, `palette` and the kinds of vector instructions of this machine."""
    return load(module_path)


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
