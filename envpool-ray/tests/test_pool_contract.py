# SPDX-License-Identifier: Apache-2.0
"""The contract that every kind of pools keeps, of pools of actors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pool_model
import pytest
from hypothesis import given, settings
from pool_contract import *  # noqa: F403
from raw_pools import make_raw


def make_counter(name: str, autoreset: str = "next_step", **config: Any) -> Any:
    actors = min(2, config.get("num_envs", 1))
    own = {"num_actors": actors, "cpus_per_actor": 1, "num_threads": 1}
    return make_raw("ray:Counter-v0", autoreset, **{**own, **config})


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
    """Pools that draw."""
    return make, "info:draw"


@settings(max_examples=10, deadline=None)
@given(options=pool_model.POOLS, calls=pool_model.SOME_CALLS)
def test_any_sequence_of_calls(options: dict[str, Any], calls: Any) -> None:
    pool_model.play(make_counter, options, calls)
