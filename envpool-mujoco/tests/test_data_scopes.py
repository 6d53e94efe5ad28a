# SPDX-License-Identifier: Apache-2.0
"""Uses of data that the environment does not have raise an exception with a clear message."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from compiling import library

TESTS = Path(__file__).parent
MODEL = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/>
  <geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
WAYS = (
    "data()", "Reset", "Forward", "Step", "StepInSync", "FollowMotion", "Warnings",
    "ScopedStateRestore",
)  # fmt: skip


@cache
def _tool() -> ctypes.CDLL:
    found = find_spec("mujoco")
    assert found is not None and found.submodule_search_locations
    mujoco = Path(found.submodule_search_locations[0])
    (own,) = mujoco.glob("libmujoco.so.*")
    ctypes.CDLL(str(own), ctypes.RTLD_GLOBAL)
    flags = "-O1", f"-I{TESTS.parent / 'include'}", f"-isystem{mujoco / 'include'}"
    handler = TESTS.parent / "cpp" / "log_handler" / "log_handler.cc"
    built = library(TESTS / "data_scopes.cc", *flags, others=[handler])
    # Code that is never called, as fields that differ, is not in it.
    return ctypes.CDLL(str(built), os.RTLD_LAZY)


def _said(way: int, folder: Path) -> str:
    path = folder / "model.xml"
    path.write_text(MODEL)
    text = ctypes.create_string_buffer(1000)
    use = _tool().use_without_data
    use.restype = ctypes.c_bool
    assert use(str(path).encode(), way, text, len(text))
    return text.value.decode()


@pytest.mark.parametrize("way", range(len(WAYS)), ids=WAYS)
def test_data_of_nobody(way: int, tmp_path: Path) -> None:
    """As Fetch once computed its start in a constructor, in data that another thread had then."""
    text = _said(way, tmp_path)
    assert text.startswith("data() was used while the simulation has none")
    assert "InResetData" in text and "Simulation::DataScope" in text


def test_a_scope_in_a_scope(tmp_path: Path) -> None:
    assert _said(-1, tmp_path).startswith("a DataScope began within another one")
