# SPDX-License-Identifier: Apache-2.0
"""Uses of data that the environment does not have raise an exception with a clear message."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from compiling import library

TESTS = Path(__file__).parent
MODEL = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/>
  <geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"""
PROGRAM = """
import ctypes, json, os, sys
own, built, path, ways = sys.argv[1:]
ctypes.CDLL(own, ctypes.RTLD_GLOBAL)
# Code that is never called, as fields that differ, is not in it.
use = ctypes.CDLL(built, os.RTLD_LAZY).use_without_data
use.restype = ctypes.c_bool
texts = []
for way in range(-1, int(ways)):
    text = ctypes.create_string_buffer(1000)
    assert use(path.encode(), way, text, len(text))
    texts.append((way, text.value.decode()))
print(json.dumps(texts))
"""
WAYS = (
    "data()", "Reset", "Forward", "Step", "StepInSync", "FollowMotion", "Warnings",
    "ScopedStateRestore",
)  # fmt: skip


@cache
def _texts() -> dict[int, str]:
    """The text of each way's error.

    They come from a process of its own: the library that is compiled here has a log handler of
    MuJoCo, as the wheel has, and a process may have only one.
    """
    found = find_spec("mujoco")
    assert found is not None and found.submodule_search_locations
    mujoco = Path(found.submodule_search_locations[0])
    (own,) = mujoco.glob("libmujoco.so.*")
    flags = "-O1", f"-I{TESTS.parent / 'include'}", f"-isystem{mujoco / 'include'}"
    handler = TESTS.parent / "cpp" / "log_handler" / "log_handler.cc"
    built = library(TESTS / "data_scopes.cc", *flags, others=[handler])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(MODEL)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(own), str(built), str(path), str(len(WAYS))],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("way", range(len(WAYS)), ids=WAYS)
def test_data_of_nobody(way: int) -> None:
    """As Fetch once computed its start in a constructor, in data that another thread had then."""
    text = _texts()[way]
    assert text.startswith("data() was used while the simulation has none")
    assert "InResetData" in text and "Simulation::DataScope" in text


def test_a_scope_in_a_scope() -> None:
    assert _texts()[-1].startswith("a DataScope began within another one")
