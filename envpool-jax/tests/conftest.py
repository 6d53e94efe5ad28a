# SPDX-License-Identifier: Apache-2.0
"""This wheel's fixtures: a folder for compiled programs, marks of large packages."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys

import pytest

if sys.platform == "linux":  # brax draws with it; there may be no display
    os.environ.setdefault("MUJOCO_GL", "egl")

_PACKAGES = {
    "needs_torch": "torch",
    "needs_brax": "brax",
    "needs_craftax": "craftax",
    "needs_playground": "mujoco_playground",
    "needs_cairosvg": "cairosvg",
}


def pytest_configure(config: pytest.Config) -> None:
    """Names the marks, and the folder for compiled programs."""
    if cache := getattr(config, "cache", None):  # none with `-p no:cacheprovider`
        # JAX reads it when it is imported. Other tests, and the next run, reuse compiled programs.
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache.mkdir("jax")))
    for mark, package in _PACKAGES.items():
        config.addinivalue_line("markers", f"{mark}: wants {package}, not in the group test")
    config.addinivalue_line("markers", "gpu: wants a GPU that JAX can use")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips tests with a mark whose package, or GPU, is missing."""
    for item in items:
        if item.get_closest_marker("gpu") and not _has_gpu():
            item.add_marker(pytest.mark.skip(reason="JAX has no GPU here"))
    for mark, package in _PACKAGES.items():
        if importlib.util.find_spec(package):
            continue
        for item in items:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))


@functools.cache
def _has_gpu() -> bool:
    import jax

    try:
        return bool(jax.devices("gpu"))
    except RuntimeError:
        return False
