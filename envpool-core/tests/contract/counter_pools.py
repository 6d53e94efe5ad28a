# SPDX-License-Identifier: Apache-2.0
"""The fixtures of `pool_contract` for a module with a function `make_counter` and `EXAMPLES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pool_model
import pytest
from hypothesis import given, settings


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes raw pools; closes them after the test."""
    pools: list[Any] = []

    def make_one(name: str = "Counter", autoreset: str = "next_step", **config: Any) -> Any:
        pools.append(request.module.make_counter(name, autoreset, **config))
        return pools[-1]

    yield make_one
    for pool in pools:
        pool.close()


@pytest.fixture
def dice(make: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """Pools that draw."""
    return make, "info:draw"


def test_any_sequence_of_calls(request: pytest.FixtureRequest) -> None:
    @settings(max_examples=request.module.EXAMPLES, deadline=None)
    @given(options=pool_model.POOLS, calls=pool_model.SOME_CALLS)
    def play(options: dict[str, Any], calls: Any) -> None:
        pool_model.play(request.module.make_counter, options, calls)

    play()
