# SPDX-License-Identifier: Apache-2.0
"""The packages here are tested where they are installed, and only there."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent

collect_ignore = [
    project.parent.name
    for project in HERE.glob("*/pyproject.toml")
    if not all(find_spec(package.name) for package in project.parent.glob("src/envpool_*"))
]
