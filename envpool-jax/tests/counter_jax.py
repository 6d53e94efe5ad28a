# SPDX-License-Identifier: Apache-2.0
"""The environment of `pool_contract`, written in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from envpool_jax import Step
from gymnasium import spaces


class Counter:
    """Counts its steps up to `goal` (0: for ever), and returns its last action."""

    observation_space = spaces.Box(0, 2000, (2,), np.int32)
    action_space = spaces.Discrete(1000)
    max_episode_steps = None

    def __init__(self, goal: int = 10) -> None:
        self.goal = goal

    def reset(self, key: Any) -> Any:
        draw = {"draw": jax.random.bits(key, (), jnp.uint32)}
        return jnp.int32(0), jnp.zeros(2, jnp.int32), draw

    def step(self, key: Any, state: Any, action: Any) -> Any:
        count = state + 1
        over = count >= (self.goal or 2**31 - 1)
        draw = {"draw": jax.random.bits(key, (), jnp.uint32)}
        seen = jnp.stack([count, action.astype(jnp.int32)])
        return count, Step(seen, count.astype(jnp.float32), over, info=draw)
