# SPDX-License-Identifier: Apache-2.0
"""Leaves out what needs minigrid where there is none: its levels are those of 3.2.0 since 3.11."""

from __future__ import annotations

import sys

import pytest

collect_ignore: list[str] = []
if sys.version_info < (3, 11):
    collect_ignore += ["test_alignment.py"]


def pytest_report_header() -> str | None:
    """Says so."""
    if not collect_ignore:
        return None
    return f"no minigrid 3.2.0 for Python {sys.version_info.minor}: left out {collect_ignore}"


def pytest_configure(config: pytest.Config) -> None:
    """Ignores what minigrid warns of: ids that have a newer version."""
    config.addinivalue_line("filterwarnings", "ignore:.*is out of date:DeprecationWarning")
