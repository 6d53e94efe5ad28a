# SPDX-License-Identifier: Apache-2.0
"""Box2D for this wheel's tests, and the skips of those that need it if it has no wheel."""

from __future__ import annotations

import platform
import sys
import warnings

import pytest

# As in pyproject.toml. On these machines a Box2D that cannot be imported is a failure.
_HAS_BOX2D = platform.machine() == "x86_64" and sys.version_info < (3, 14)

if _HAS_BOX2D:
    with warnings.catch_warnings():
        # SWIG's types lack an attribute; raised as an error, the warning would crash their import.
        warnings.simplefilter("ignore", DeprecationWarning)
        import Box2D  # noqa: F401


def pytest_configure(config: pytest.Config) -> None:
    """Names the mark."""
    config.addinivalue_line("markers", "needs_box2d: plays an environment that Box2D computes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests with the mark if Box2D has no wheel."""
    if _HAS_BOX2D:
        return
    reason = "Box2D has no wheel for this Python or this kind of CPU"
    for item in items:
        if item.get_closest_marker("needs_box2d"):
            item.add_marker(pytest.mark.skip(reason=reason))
