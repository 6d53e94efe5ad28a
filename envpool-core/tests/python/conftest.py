# SPDX-License-Identifier: Apache-2.0
"""Registers tasks of the fake family, so that `envpool.make` has something to make."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import envpool
import fake_family
from envpool import Deprecation, Task

for task in (
    Task("Counter-v0", "fake_family:COUNTER", aliases=("Zaehler-v0",), goal=3),
    Task("Limited-v0", "fake_family:COUNTER", max_episode_steps=2, goal=5),
    Task("Quiet-v0", "fake_family:QUIET"),
    Task("Images-v0", "fake_family:IMAGES", render_fps=12),
    Task("Nested-v0", "fake_family:NESTED"),
    Task("Old-v0", "fake_family:OLD"),
    Task("New-v0", "fake_family:NEW"),
    Task("Gone-v0", "fake_family:COUNTER", deprecated=Deprecation("0.3.0", use="Counter-v0")),
    Task("NoModule-v0", "fake_family_that_is_not_there:COUNTER"),
    Task("NoName-v0", "fake_family:COUNTR"),
    Task("NoEnv-v0", "fake_family:no_env"),
):
    envpool.register(task)
envpool.register(
    Task("Seen-v0", "fake_family:COUNTER", options=envpool.pixels.options(), render_width=40),
    prepare=fake_family.images,
)


@pytest.fixture
def last_raw():
    """The raw pool that was made last."""
    return lambda: fake_family.COUNTER.pools[-1]
