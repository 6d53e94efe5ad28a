# SPDX-License-Identifier: Apache-2.0
"""One small cluster for all tests: the process that collects them starts it, the others join."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ray_ledger import install, quiet_ray, start_head, stop_head

_FOLDER = "ENVPOOL_RAY_TESTS"
_ADDRESS = "ENVPOOL_RAY_TESTS_ADDRESS"


def pytest_configure(config: pytest.Config) -> None:
    """Starts the cluster, unless this is a process that pytest-xdist has started."""
    # Ray's warnings at its exit are not ours.
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    os.environ[_FOLDER] = str(folder)
    quiet_ray(folder)
    install(folder / "family")
    config.stash[_HEAD], os.environ[_ADDRESS] = start_head(cpus=64)


_HEAD = pytest.StashKey[Any]()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops it again."""
    if _HEAD in config.stash:
        stop_head(config.stash[_HEAD])
        shutil.rmtree(os.environ[_FOLDER], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def cluster() -> Iterator[str]:
    """The address of the cluster, which this process has joined."""
    import ray

    folder = str(Path(os.environ[_FOLDER]) / "family")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    address = os.environ[_ADDRESS]
    ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    yield address
    ray.shutdown()


@pytest.fixture(autouse=True)
def shared_memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small results are shared as large ones are; where the parameter is "copied", none.

    Where it is "elsewhere", actors take their caller for one on another node.
    """
    if request.node.path.name != "test_connection.py":
        from envpool_ray import _slices
        from envpool_ray.wire import shared_buffers

        how = getattr(request, "param", "shared")
        monkeypatch.setattr(
            shared_buffers, "MIN_SHARED_BYTES", sys.maxsize if how == "copied" else 1
        )
        if how == "elsewhere":
            monkeypatch.setattr(_slices, "node_of_caller", lambda ray: "elsewhere")
