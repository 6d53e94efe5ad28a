# SPDX-License-Identifier: Apache-2.0
"""Tests of the models that a package brings, shared by the robots' families."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError

import pytest
from envpool import Finding
from envpool_mujoco import family


def check_findings(
    monkeypatch: pytest.MonkeyPatch, models: Callable[[], Finding], other_version: str
) -> None:
    """Compares the status of a family's finding for three states of its package.

    Args:
        monkeypatch: Of the test.
        models: The family's finding.
        other_version: A version of the package that the family was not compared with.
    """
    assert models().status == "ok"
    monkeypatch.setattr(family, "version", lambda name: other_version)
    assert models().status == "warning"

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(family, "version", missing)
    assert models().status == "missing"
