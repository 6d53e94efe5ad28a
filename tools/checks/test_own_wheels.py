# SPDX-License-Identifier: Apache-2.0
"""Builds take core from dist/, even if an index has a newer one: the variables of noxfile.py.

Run by the session `release`, with these variables.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

# Writes its build requirement core's version into the wheel's own version.
BACKEND = """
import importlib.metadata, zipfile

def build_wheel(folder, settings=None, metadata=None):
    core = importlib.metadata.version("envpool-core")
    info = f"family-{core}.dist-info"
    with zipfile.ZipFile(f"{folder}/family-{core}-py3-none-any.whl", "w") as wheel:
        metadata = f"Metadata-Version: 2.1\\nName: family\\nVersion: {core}\\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return f"family-{core}-py3-none-any.whl"
"""
PROJECT = """
[build-system]
requires = ["envpool-core==0.1.*"]
build-backend = "backend"
backend-path = ["."]
[project]
name = "family"
dynamic = ["version"]
"""


def test_a_strangers_core_takes_no_part_in_a_build(tmp_path: Path) -> None:
    stranger, family = tmp_path / "index", tmp_path / "family"
    stranger.mkdir()
    family.mkdir()
    info = "envpool_core-0.1.99.dist-info"
    with zipfile.ZipFile(stranger / "envpool_core-0.1.99-py3-none-any.whl", "w") as wheel:
        metadata = "Metadata-Version: 2.1\nName: envpool-core\nVersion: 0.1.99\n"
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    (family / "backend.py").write_text(BACKEND)
    (family / "pyproject.toml").write_text(PROJECT)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--find-links", str(stranger), "--wheel-dir", str(tmp_path), str(family)]
    subprocess.run(command, check=True, timeout=300)
    (built,) = tmp_path.glob("family-*.whl")
    assert built.name != "family-0.1.99-py3-none-any.whl"
