# SPDX-License-Identifier: Apache-2.0
"""Compiles the environments that the checks are tried on, and registers tasks of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

import envpool
from engine_build import extension

LIMIT = {"max_episode_steps": 20}


@pytest.fixture(scope="session", autouse=True)
def walks(request: pytest.FixtureRequest) -> None:
    """The compiled module `walks`, kept from one run to the next, and its tasks."""
    folder = Path(request.config.cache.mkdir("envpool_walks"))  # type: ignore[union-attr]
    path = extension(Path(__file__).with_name("walks.cc"), folder)
    spec = importlib.util.spec_from_file_location("walks", path)
    assert spec is not None and spec.loader is not None
    sys.modules["walks"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["walks"])
    for task in (
        envpool.Task("Walk-v0", "walks:Walk", **LIMIT),
        envpool.Task("Still-v0", "walks:Walk", noise=False, **LIMIT),
        envpool.Task("Hike-v0", "walks:Hike", goal=1.0, **LIMIT),
        envpool.Task("Team-v0", "walks:Team", **LIMIT),
        envpool.Task("Meddled-v0", "meddling:ENV", **LIMIT),
    ):
        envpool.register(task)
