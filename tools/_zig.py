# SPDX-License-Identifier: Apache-2.0
"""The compiler of PyPI's `ziglang`, by the path of its binary, as CMake wants one."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def find_zig() -> Path:
    """The binary; its libraries are in the same folder."""
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        sys.exit("no compiler for other systems: pip install ziglang")
    return Path(found.origin).parent / "zig"
