# SPDX-License-Identifier: Apache-2.0
"""make_runner: an environment, and the runner for its kind."""

from __future__ import annotations

from ._env_runner import EnvRunner
from ._gymnasium_runner import GymnasiumRunner
from ._messages import WorkerSeeds
from ._parallel_runner import ParallelRunner
from ._recipes import Recipe


def make_runner(recipe: Recipe, seeds: WorkerSeeds, env_id: int) -> EnvRunner:
    """Makes an environment: a `gymnasium.Env` or a PettingZoo parallel environment.

    Raises:
        TypeError: If it is neither.
    """
    import gymnasium

    env = recipe.make(env_id)
    if not isinstance(env, gymnasium.Env) and hasattr(env, "possible_agents"):
        return ParallelRunner(recipe, seeds, env_id, env)
    for name in ("reset", "step", "close", "observation_space", "action_space"):
        if not hasattr(env, name):
            raise TypeError(
                f"the function for environment {env_id} returned {env!r}, which has no {name!r}: "
                f"a gymnasium.Env or a pettingzoo.ParallelEnv was expected"
            )
    return GymnasiumRunner(recipe, seeds, env_id, env)
