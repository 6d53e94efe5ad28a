# SPDX-License-Identifier: Apache-2.0
"""The extension module of these tests, and pools of its environments."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from engine_build import HERE, extension


@pytest.fixture(scope="session")
def build_folder(request: pytest.FixtureRequest) -> Path:
    """Where compiled things are kept from one run of the tests to the next."""
    cache = request.config.cache
    assert cache is not None
    return Path(cache.mkdir("envpool_engine"))


@pytest.fixture(scope="session")
def module_path(build_folder: Path) -> Path:
    """The compiled module, for tests that start a Python of their own."""
    return extension(HERE / "engine_envs.cc", build_folder, ["-DENVPOOL_TEST"])


@pytest.fixture(scope="session")
def module(module_path: Path) -> ModuleType:
    """The environments of envs/, and the gates that hold them."""
    spec = importlib.util.spec_from_file_location("engine_envs", module_path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules["engine_envs"] = loaded  # tasks name it as "engine_envs:Counter"
    spec.loader.exec_module(loaded)
    return loaded


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


def make_pool(module: ModuleType, name: str, autoreset: str = "next_step", **config: object) -> Any:
    """A raw pool whose results are dicts by array name, "final ..." for final copies."""
    env = getattr(module, name)
    pool = env.make(config, f"Test/{name}-v0", autoreset)
    names = [array[0] for array in env.describe(config)[1]]
    columns: dict[str, int] = {array: i for i, array in enumerate(names)}
    step = dict(columns)
    if autoreset == "same_step":
        own = [array for array in names if columns[array] >= 9 or array == "elapsed_step"]
        step |= {f"final {array}": -(2 + columns[array]) for array in own}
    pool.set_layout(step, columns)
    return pool
