# SPDX-License-Identifier: Apache-2.0
"""Registers a task of the engine's tests that is much like CartPole."""

from __future__ import annotations

from pathlib import Path

import envpool
import pytest
from compiling import extension, load

ENVS = Path(__file__).parents[1] / "engine" / "engine_envs.cc"


@pytest.fixture(scope="session", autouse=True)
def pole() -> None:
    """The task Pole-v0, of the module that the engine's tests compile as well."""
    load(extension(ENVS, "-O2", "-DENVPOOL_TEST"))
    envpool.register(envpool.Task("Pole-v0", "engine_envs:Pole", max_episode_steps=500))
