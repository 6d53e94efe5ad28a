# SPDX-License-Identifier: Apache-2.0
"""Compiles the environments that the checks are tried on, and registers tasks of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from compiling import extension, load

sys.path.insert(0, str(Path(__file__).parent))

import envpool

LIMIT = {"max_episode_steps": 20}


@pytest.fixture(scope="session", autouse=True)
def walks() -> None:
    """The compiled module `walks`, and its tasks."""
    load(extension(Path(__file__).with_name("walks.cc"), "-O2"))
    for task in (
        envpool.Task("Walk-v0", "walks:Walk", **LIMIT),
        envpool.Task("Still-v0", "walks:Walk", noise=False, **LIMIT),
        envpool.Task("Hike-v0", "walks:Hike", goal=1.0, **LIMIT),
        envpool.Task("Team-v0", "walks:Team", **LIMIT),
        envpool.Task("Faulty-v0", "fault_injection:ENV", **LIMIT),
    ):
        envpool.register(task)
