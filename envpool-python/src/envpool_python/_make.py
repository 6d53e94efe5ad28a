# SPDX-License-Identifier: Apache-2.0
"""make: pools of environments that the user's functions return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import envpool
from envpool.errors import ConfigError, shorten

from ._tasks import FUNCTIONS


def make(env_fns: Iterable[Callable[[], Any]], env_type: str = "gymnasium", **config: Any) -> Any:
    """Makes a pool of the environments that functions return, each in a worker process.

    Args:
        env_fns: Functions without arguments that return a `gymnasium.Env`, or a PettingZoo
            environment, parallel or AEC; the i-th function makes environment i. Lambdas and
            functions of the main program are allowed. All environments have the same spaces.
        env_type: As for `envpool.make`: "gymnasium", "vector" or "dm".
        **config: Options, as for `envpool.make`; num_envs is the number of functions.

    Returns:
        The pool, as of `envpool.make`.

    Raises:
        ConfigError: If it is not a list of functions, a function cannot be pickled, a space has no
        arrays, or an option is wrong.
        WorkerError: If an environment cannot be made.
    """
    try:
        functions = list(env_fns)
    except TypeError:  # not a list
        functions = []
    if not functions or not all(map(callable, functions)):
        raise ConfigError(
            f"envpool_python.make({shorten(env_fns)})",
            shorten(env_fns),
            "a list of functions, one for each environment",
            "Pass [make_env] * 8 for eight environments that one function makes",
        )
    config.setdefault("num_envs", len(functions))
    return envpool.make(FUNCTIONS.id, env_type, env_fns=functions, **config)
