# SPDX-License-Identifier: Apache-2.0
"""Environments of the tests: two that follow `envpool_jax.JaxEnv`, others that break its rules."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from envpool_jax import Step
from gymnasium import spaces


class Countdown:
    """Ends after a drawn number of steps; draws itself as a bar."""

    observation_space = spaces.Box(0, 9, (), np.int32)
    action_space = spaces.Discrete(2)
    max_episode_steps: int | None = None

    def __init__(self, longest: int = 9) -> None:
        self.longest = longest

    def reset(self, key: Any) -> Any:
        left = jax.random.randint(key, (), 3, self.longest + 1)
        return left, left

    def step(self, key: Any, state: Any, action: Any) -> Any:
        left = state - 1
        return left, Step(left, reward=action, terminated=left == 0, info={"paid": action * 2.0})

    def render(self, state: Any) -> Any:
        frame = np.zeros((4, 10, 3), np.uint8)
        frame[:, : int(state)] = 255
        return frame


class Trees:
    """Observations and actions in dicts and tuples, and a key of JAX's own type in the state."""

    observation_space = spaces.Dict(
        {
            "board": spaces.MultiDiscrete([3, 4]),
            "pair": spaces.Tuple([spaces.Box(0, 1, (2,)), spaces.Discrete(5)]),
        }
    )
    action_space = spaces.Dict(
        {"move": spaces.MultiDiscrete([2, 3]), "push": spaces.Box(-1, 1, (2,))}
    )
    max_episode_steps = 6

    def reset(self, key: Any) -> Any:
        state = {"key": jax.random.wrap_key_data(key), "push": jnp.zeros(2)}
        return state, self._seen(state, jnp.zeros(2, jnp.int32)), {"sum": jnp.float32(0)}

    def step(self, key: Any, state: Any, action: Any) -> Any:
        state = {"key": jax.random.fold_in(state["key"], 1), "push": action["push"]}
        total = action["push"].sum()
        over = jax.random.uniform(state["key"]) < 0.1
        return state, Step(self._seen(state, action["move"]), total, over, info={"sum": total})

    def _seen(self, state: Any, move: Any) -> Any:
        draws = jax.random.uniform(state["key"], (2,))
        return {"board": move, "pair": (draws, jax.random.randint(state["key"], (), 0, 5))}


class Broken(Countdown):
    """Breaks one rule."""

    def __init__(self, rule: str) -> None:
        super().__init__()
        self.rule = rule
        if rule == "space":
            self.observation_space = spaces.Box(0, 9, (2,), np.int32)
        if rule == "kind":
            self.observation_space = spaces.Text(4)

    def reset(self, key: Any) -> Any:
        state, seen = super().reset(key)
        if self.rule == "state":
            return {"left": state, "more": 0}, seen
        if self.rule == "info":
            return state, seen, {"unknown": seen}
        return state, seen

    def step(self, key: Any, state: Any, action: Any) -> Any:
        if self.rule == "state":
            state, step = super().step(key, state["left"], action)
            return {"left": state, "more": 0.5}, step
        state, step = super().step(key, state, action)
        if self.rule == "observation":
            step = step._replace(observation=step.observation * 1.0)
        if self.rule == "reward":
            step = step._replace(reward=jnp.zeros(3))
        if self.rule == "tuple":
            return state, tuple(step)
        if self.rule == "raises" and state:  # of a traced value, which JAX refuses
            return state, step
        return state, step
