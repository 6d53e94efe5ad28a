# SPDX-License-Identifier: Apache-2.0
"""Settings and fixtures of this wheel's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy_rounding  # noqa: F401 (before NumPy)
import pytest

# The references draw without a display; they read this variable when they are imported.
os.environ.setdefault("MUJOCO_GL", "egl")


@pytest.fixture
def in_new_process(tmp_path: Path) -> Callable[[str], str]:
    """Runs Python code in a process and a folder of its own, and returns what it prints."""

    def run(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
