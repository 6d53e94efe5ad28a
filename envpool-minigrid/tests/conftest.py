# SPDX-License-Identifier: Apache-2.0
"""Skips tests that need minigrid if it is missing: 3.2.0's levels need Python 3.11."""

from __future__ import annotations

import sys

import pytest

collect_ignore: list[str] = []
if sys.version_info < (3, 11):
    collect_ignore += ["test_alignment.py"]


def pytest_report_header() -> str | None:
    """Reports that minigrid is missing."""
    if not collect_ignore:
        return None
    return f"no minigrid 3.2.0 for Python {sys.version_info.minor}: left out {collect_ignore}"


def pytest_configure(config: pytest.Config) -> None:
    """Ignores minigrid's warnings of ids with a newer version."""
    config.addinivalue_line("filterwarnings", "ignore:.*is out of date:DeprecationWarning")
