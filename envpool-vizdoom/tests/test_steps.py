# SPDX-License-Identifier: Apache-2.0
"""The cost of a step beside its work: no memory, and no system calls but those to wait and wake."""

from __future__ import annotations

import subprocess
from pathlib import Path

import envpool
from compiling import program

HERE = Path(__file__).parent


def test_steps_ask_for_no_memory_and_only_wait_and_wake() -> None:
    cpp = HERE.parent / "cpp"
    others = sorted(source for source in cpp.rglob("*.cc") if source.name != "module.cc")
    path = program(HERE / "cpp" / "steps.cc", "-O1", f"-I{cpp}", others=others)
    options = envpool.make_spec("Basic-v1").options
    names = ("cfg_path", "wad_path", "vzd_path", "iwad_path")
    files = [str(options[name]) for name in names]
    done = subprocess.run([path, *files], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
