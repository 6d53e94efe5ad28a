# SPDX-License-Identifier: Apache-2.0
"""craftax: its classes without automatic resets. Its time limit truncates here.

`env_kwargs` may contain parameters, as `max_timesteps`.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

from ._library import lister, require
from .gymnax import GymnaxEnv

TASKS = [
    "Craftax-Symbolic-v1",
    "Craftax-Pixels-v1",
    "Craftax-Classic-Symbolic-v1",
    "Craftax-Classic-Pixels-v1",
]


list_tasks = lister("craftax", TASKS)


def load(task: str, **env_kwargs: Any) -> GymnaxEnv:
    """The environment of `make_craftax_env_from_name`."""
    require(task, TASKS, "make_craftax_env_from_name")
    make: Any = importlib.import_module("craftax.craftax_env").make_craftax_env_from_name
    env = make(task, auto_reset=False)
    params = env.default_params
    fields = {field.name for field in dataclasses.fields(params)}
    for key in env_kwargs:
        if key not in fields:
            raise TypeError(f"{key!r} is none of the parameters {', '.join(sorted(fields))}")
    made = GymnaxEnv(env, params.replace(**env_kwargs))
    made.resets = "cond"  # a new world costs many steps
    return made
