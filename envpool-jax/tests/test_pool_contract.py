# SPDX-License-Identifier: Apache-2.0
"""The contract of every kind of pools, for pools in JAX."""

from __future__ import annotations

from typing import Any

import pool_model
from counter_pools import *  # noqa: F403
from hypothesis import given, settings
from hypothesis import strategies as st
from pool_contract import *  # noqa: F403
from raw_pools import make_raw


def make_counter(name: str, autoreset: str = "next_step", goal: int = 10, **config: Any) -> Any:
    return make_raw("jax:counter_jax:Counter", autoreset, env_kwargs={"goal": goal}, **config)


# Each size of a slice is compiled.
SIZES = st.sampled_from([(1, 1), (4, 4), (4, 2), (5, 2)])


@settings(max_examples=40, deadline=None)
@given(options=pool_model.POOLS, sizes=SIZES, calls=pool_model.SOME_CALLS)
def test_any_sequence_of_calls(options: dict[str, Any], sizes: Any, calls: Any) -> None:
    options["num_envs"], options["batch_size"] = sizes
    options["goal"] %= 2
    options["goal"] *= 3
    pool_model.play(make_counter, options, calls)
