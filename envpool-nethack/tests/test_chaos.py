# SPDX-License-Identifier: Apache-2.0
"""Games that crash by the dozen, and long play; whole: chaos.py and soak.py as programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sampling import FULL

_HERE = Path(__file__).parent


def _run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(_HERE / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_crashes_by_the_dozen() -> None:
    said = _run("chaos.py", "--rounds", "5000" if FULL else "150")
    assert int(said.split()[0]) > 20, said


def test_memory_does_not_grow() -> None:
    said = _run("soak.py", "--steps", "5000000" if FULL else "40000")
    assert "0 of them by a fault" in said
    assert "memory:" in said
