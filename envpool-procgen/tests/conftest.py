# SPDX-License-Identifier: Apache-2.0
"""Fetches the engine by the family's own command, before any test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def pytest_configure() -> None:
    """Fetches engine and images, and installs the libraries they need, if root is available."""
    program = str(Path(sys.executable).with_name("envpool"))
    command = [program, "procgen", "fetch", "--system"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        pytest.exit(f"`{' '.join(command[-3:])}` failed:\n{done.stdout}{done.stderr}", 3)
