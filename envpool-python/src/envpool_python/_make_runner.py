# SPDX-License-Identifier: Apache-2.0
"""make_runner: makes an environment, and the runner for its kind."""

from __future__ import annotations

from typing import Any

import gymnasium

from ._aec_runner import AecRunner
from ._gymnasium_runner import GymnasiumRunner
from ._messages import WorkerSeeds
from ._parallel_runner import ParallelRunner
from ._recipes import Recipe
from ._runner import Runner

_KINDS: dict[str, tuple[type[Runner], str, tuple[str, ...]]] = {
    "gymnasium": (
        GymnasiumRunner,
        "a gymnasium.Env, a pettingzoo.ParallelEnv or a pettingzoo.AECEnv",
        ("reset", "step", "close", "observation_space", "action_space"),
    ),
    "parallel": (
        ParallelRunner,
        "a pettingzoo.ParallelEnv",
        ("reset", "step", "close", "possible_agents", "observation_space", "action_space"),
    ),
    "aec": (
        AecRunner,
        "a pettingzoo.AECEnv",
        ("reset", "step", "close", "last", "possible_agents", "observation_space", "action_space"),
    ),
}


def make_runner(recipe: Recipe, seeds: WorkerSeeds, env_id: int) -> Runner:
    """Makes an environment and its runner.

    Raises:
        TypeError: If it lacks a method that its kind requires.
    """
    env = recipe.make(env_id)
    kind = _kind_of(env) if recipe.env_kind == "auto" else recipe.env_kind
    runner, expected, needed = _KINDS[kind]
    for name in needed:
        if not hasattr(env, name):
            raise TypeError(
                f"the function for environment {env_id} returned {env!r}, which has no {name!r}: "
                f"{expected} was expected"
            )
    return runner(recipe, seeds, env_id, env)


def _kind_of(env: Any) -> str:
    """The environment's kind. A `gymnasium.Env` with agents is a `gymnasium.Env`."""
    if isinstance(env, gymnasium.Env) or not hasattr(env, "possible_agents"):
        return "gymnasium"
    return "aec" if hasattr(env, "agent_iter") and hasattr(env, "last") else "parallel"
