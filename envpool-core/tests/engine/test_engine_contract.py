# SPDX-License-Identifier: Apache-2.0
"""The contract that every kind of pools keeps, of compiled pools."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pool_model
import pytest
from engine_pools import make_pool
from hypothesis import given, settings
from hypothesis import strategies as st
from pool_contract import *  # noqa: F403


@pytest.fixture
def dice(make: Callable[..., Any]) -> tuple[Callable[..., Any], str]:
    """Pools that draw."""
    return make, "info:draw"


@settings(max_examples=500, deadline=None)
@given(
    options=pool_model.POOLS,
    num_threads=st.integers(1, 4),
    jitter_us=st.sampled_from([0, 0, 50]),
    calls=pool_model.SOME_CALLS,
)
def test_any_sequence_of_calls(
    module: ModuleType, options: dict[str, Any], num_threads: int, jitter_us: int, calls: Any
) -> None:
    def make(name: str, autoreset: str, **config: Any) -> Any:
        return make_pool(module, name, autoreset, **config)

    pool_model.play(make, options, calls, num_threads=num_threads, jitter_us=jitter_us)
