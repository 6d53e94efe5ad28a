# SPDX-License-Identifier: Apache-2.0
"""The contract of every kind of pools, for pools of worker processes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pool_model
import pytest
from hypothesis import given, settings
from pool_contract import *  # noqa: F403
from raw_pools import make_raw


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
def make() -> Iterator[Callable[..., Any]]:
    """Makes raw pools; closes them after the test."""
    pools: list[Any] = []

    def make_one(name: str = "Counter", autoreset: str = "next_step", **config: Any) -> Any:
        pools.append(make_counter(name, autoreset, **config))
        return pools[-1]

    yield make_one
    for pool in pools:
        pool.close()


@pytest.fixture
def dice(make: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """Pools that draw, as the first number of the observation."""
    return functools.partial(make, dice=True), "obs"


@settings(max_examples=15, deadline=None)
@given(options=pool_model.POOLS, calls=pool_model.SOME_CALLS)
def test_any_sequence_of_calls(options: dict[str, Any], calls: Any) -> None:
    pool_model.play(make_counter, options, calls)
