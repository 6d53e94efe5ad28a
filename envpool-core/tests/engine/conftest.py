# SPDX-License-Identifier: Apache-2.0
"""The extension module of these tests, and pools of its environments."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from compiling import extension, load

sys.path.insert(0, str(Path(__file__).parent))

from engine_pools import make_pool

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def module_path() -> Path:
    """The compiled module, for tests that start a Python of their own."""
    return extension(HERE / "engine_envs.cc", "-O2", "-DENVPOOL_TEST")


@pytest.fixture(scope="session")
def module(module_path: Path) -> ModuleType:
    """The environments of envs/, and the gates that hold them."""
    return load(module_path)


@pytest.fixture
def make(module: ModuleType) -> Iterator[Callable[..., Any]]:
    """Makes raw pools whose results are dicts by array name; closes them after the test."""
    pools: list[Any] = []

    def make_one(name: str = "Counter", autoreset: str = "next_step", **config: object) -> Any:
        pools.append(make_pool(module, name, autoreset, **config))
        return pools[-1]

    yield make_one
    module.open_gates()
    for pool in pools:
        pool.close()


@pytest.fixture
def run_script(module_path: Path) -> Callable[..., str]:
    """Runs Python code in a process of its own, with `module`, `make_pool` and `np` at hand.

    Returns what the code printed. Fails if the process does not end well, and without a word on
    stderr, within the time.
    """
    prelude = f"""\
import importlib.util, os, sys, threading, time
import numpy as np
sys.path.insert(0, {str(HERE)!r})
spec = importlib.util.spec_from_file_location("engine_envs", {str(module_path)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from engine_pools import make_pool
"""

    def run(code: str, timeout: float = 60) -> str:
        done = subprocess.run(
            [sys.executable, "-c", prelude + textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run
