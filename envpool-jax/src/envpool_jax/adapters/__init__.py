# SPDX-License-Identifier: Apache-2.0
"""Adapters of libraries, and the recognition of a library's environment."""

from __future__ import annotations

import inspect
from typing import Any

from envpool.errors import ConfigError


def recognised(env: Any, asked: str) -> Any:
    """An object as a `JaxEnv`: unchanged if it is one, or a library's environment adapted.

    Raises:
        ConfigError: If the object has no known form.
    """
    has = frozenset(dir(env))
    own = {"observation_space", "action_space", "max_episode_steps", "reset", "step"} <= has
    if own and _takes(env.step, 3) and not callable(env.observation_space):
        return env
    if {"reset_env", "step_env", "default_params"} <= has:
        from .gymnax import GymnaxEnv

        return GymnaxEnv(env, env.default_params)
    if {"init", "step", "num_actions", "observation_shape"} <= has:
        from .pgx import PgxEnv

        return PgxEnv(env)
    if {"reset", "step", "observation_spec", "action_spec", "discount_spec"} <= has:
        from .jumanji import JumanjiEnv

        return JumanjiEnv(env)
    if {"reset", "step", "observation_size", "action_size"} <= has:
        from .brax import BraxEnv

        return BraxEnv(env, None)
    raise ConfigError(
        asked,
        f"a {type(env).__name__} with {', '.join(sorted(filter(_is_public, has))[:12])}",
        "observation_space, action_space, max_episode_steps, reset(key) and "
        "step(key, state, action), as envpool_jax.JaxEnv has them; or an environment of gymnax "
        "(reset_env, step_env), pgx (init, num_actions), jumanji (observation_spec) or brax "
        "(observation_size)",
        "Write these two functions: see envpool_jax.JaxEnv",
    )


def _is_public(name: str) -> bool:
    return name[0] != "_"


def _takes(function: Any, count: int) -> bool:
    """True if a function can be called with `count` arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # a C function has no signature
        return True
    return True
