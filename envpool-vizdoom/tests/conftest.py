# SPDX-License-Identifier: Apache-2.0
"""Fixtures of this wheel's tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ViZDoom's own client writes into the working directory; this one must not."""
    monkeypatch.chdir(tmp_path)
