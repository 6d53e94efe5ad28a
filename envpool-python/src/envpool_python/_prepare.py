# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to an environment with the recipe for its workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool import Prepared, Task
from envpool.errors import ConfigError, shorten, suggest

from ._env import PythonEnv
from ._options import ENV_KINDS
from ._recipes import Factories, GymnasiumTask, Recipe
from ._tasks import FUNCTIONS, spec_of


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """Implements the hook of the same name.

    Raises:
        ConfigError: If the number of functions is not the number of environments, or env_kwargs is
        not a dict.
    """
    if task.id == FUNCTIONS.id:
        return Prepared(_of_functions(task, options, build), options)
    return Prepared(_of_gymnasium(task, options, build), options)


def _of_functions(task: Task, options: Mapping[str, Any], build: bool) -> Any:
    functions = tuple(options.get("env_fns", ()))
    num_envs = options.get("num_envs", len(functions))
    if not functions or num_envs != len(functions):
        raise ConfigError(
            f"make({task.id!r}, num_envs={num_envs}, env_fns=...)",
            f"{len(functions)} functions",
            "one function for each environment",
            "Call envpool_python.make(env_fns), which sets num_envs itself",
        )

    kind = options.get("env_kind", ENV_KINDS[0])
    if kind not in ENV_KINDS:
        raise ConfigError(
            f"make({task.id!r}, env_kind={kind!r})",
            repr(kind),
            ", ".join(map(repr, ENV_KINDS)),
            suggest(kind, ENV_KINDS, "Pass one of these"),
        )

    def recipe(config: Mapping[str, Any]) -> Recipe:
        return Factories(functions, kind)

    return PythonEnv("Functions", recipe, f"make({task.id!r})", build)


def _of_gymnasium(task: Task, options: Mapping[str, Any], build: bool) -> Any:
    kwargs = options.get("env_kwargs") or {}
    if not isinstance(kwargs, Mapping) or not all(isinstance(key, str) for key in kwargs):
        raise ConfigError(
            f"make({task.id!r}, env_kwargs={shorten(kwargs)})",
            shorten(kwargs),
            "a dict of arguments of gymnasium.make",
            "Pass env_kwargs={'name': value}",
        )
    spec = spec_of(task.id)
    limit = options.get("max_episode_steps")

    def recipe(config: Mapping[str, Any]) -> Recipe:
        given = dict(kwargs)
        if limit is not None:
            given["max_episode_steps"] = limit
        if config["render_mode"] is not None:
            # The pool itself opens windows.
            text = config["render_mode"] == "ansi"
            given["render_mode"] = "ansi" if text else "rgb_array"
        return GymnasiumTask(spec, given)

    name = "".join(part for part in spec.name.title() if part.isalnum())
    return PythonEnv(name, recipe, f"make({task.id!r})", build)
