# SPDX-License-Identifier: Apache-2.0
"""The ports through which the engines of a game communicate."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compiling import program

HERE = Path(__file__).parent


def test_games_at_the_same_time_have_ports_of_their_own() -> None:
    cpp = HERE.parent / "cpp"
    others = [cpp / "game" / "game_port.cc"]
    path = program(HERE / "cpp" / "ports.cc", "-O1", f"-I{cpp}", others=others)
    done = subprocess.run([path], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
