# SPDX-License-Identifier: Apache-2.0
"""Free-threaded Python: a module of environments needs the GIL, and says so."""

from __future__ import annotations

import sys
from types import ModuleType

import envpool
import pytest
from compiling import ROOT
from envpool.errors import PluginError

ID = "Engine/Gil-v0"
envpool.register(envpool.Task(ID, "engine_envs:Counter"))


def test_make_refuses_a_python_whose_gil_stays_off(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with PYTHON_GIL=0: else the import of the module switches the GIL on."""
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    with pytest.raises(PluginError) as caught:
        envpool.make(ID)
    error = caught.value
    assert (error.asked, error.got, error.allowed, error.hint) == (
        "import of engine_envs:Counter",
        "a Python whose GIL is kept off by PYTHON_GIL=0 or -X gil=0",
        "a Python with its GIL, which a free-threaded one switches on for this import",
        "Unset PYTHON_GIL, and leave -X gil=0 out",
    )
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True)
    with envpool.make(ID, num_envs=2) as pool:
        assert pool.num_envs == 2


def test_no_module_declares_to_run_without_the_gil() -> None:
    """Else a free-threaded Python would leave its GIL off. These are all ways to declare it."""
    ways = ("Py_MOD_GIL_NOT_USED", "PyUnstable_Module_SetGIL", "mod_gil_not_used")
    sources = [
        path
        for folder in ROOT.glob("envpool-*")
        for part in ("include", "sources", "cpp")
        for path in (folder / part).rglob("*")
        if path.suffix in (".h", ".cc")
    ]
    assert any(path.name == "module.cc" for path in sources)
    assert not [path for path in sources if any(way in path.read_text() for way in ways)]
