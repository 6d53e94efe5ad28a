# SPDX-License-Identifier: Apache-2.0
"""The shared parts of this wheel's tests: pygame without a window, and Box2D if it has a wheel."""

from __future__ import annotations

import os
import platform
import warnings

import pytest

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

# As in pyproject.toml. On these machines a Box2D that cannot be imported is a failure.
_HAS_BOX2D = platform.machine() == "x86_64"

if _HAS_BOX2D:
    with warnings.catch_warnings():
        # SWIG's types lack an attribute; raised as an error, the warning would crash their import.
        warnings.simplefilter("ignore", DeprecationWarning)
        import Box2D  # noqa: F401


def pytest_configure(config: pytest.Config) -> None:
    """Names the mark."""
    config.addinivalue_line("markers", "needs_box2d: plays Gymnasium's environments")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests with the mark if Box2D has no wheel for this machine."""
    if _HAS_BOX2D:
        return
    reason = "Box2D has no wheel that rounds as ours for this kind of CPU"
    for item in items:
        if item.get_closest_marker("needs_box2d"):
            item.add_marker(pytest.mark.skip(reason=reason))
