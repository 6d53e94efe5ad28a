# SPDX-License-Identifier: Apache-2.0
"""The contract of every kind of pools, for pools of worker processes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest
from counter_pools import *  # noqa: F403
from pool_contract import *  # noqa: F403
from raw_pools import make_raw

EXAMPLES = 15


@pytest.fixture(autouse=True, scope="module")
def counter() -> Iterator[None]:
    """Registers it with Gymnasium."""
    gymnasium.register("Counter-v0", "counter_gym:Counter")
    yield
    del gymnasium.registry["Counter-v0"]


def make_counter(
    name: str, autoreset: str = "next_step", goal: int = 10, dice: bool = False, **config: Any
) -> Any:
    kwargs = {"goal": goal, "dice": dice}
    return make_raw("python:Counter-v0", autoreset, env_kwargs=kwargs, num_workers=1, **config)


@pytest.fixture
def dice(make: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """Pools that draw, as the first number of the observation."""
    return functools.partial(make, dice=True), "obs"
