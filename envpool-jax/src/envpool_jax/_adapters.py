# SPDX-License-Identifier: Apache-2.0
"""Adapters: modules for the environments of a library, found by entry points.

    [project.entry-points.envpool_jax]
    gymnax = "envpool_jax.adapters.gymnax"

The name is the first part of an id, as in "jax:gymnax/CartPole-v1". The module has

- `list_tasks() -> list[str]`: the ids; empty if the library is not installed. It imports no JAX;
- `load(task, **env_kwargs) -> JaxEnv`: an environment. LookupError: there is no such task.
"""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from envpool.errors import (
    ConfigError,
    EnvPoolError,
    MissingPackageError,
    PluginError,
    UnknownTaskError,
    WorkerError,
    shorten,
    suggest,
)

GROUP = "envpool_jax"


@functools.cache
def adapters() -> dict[str, EntryPoint]:
    """All adapters by name; none is imported."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def module_of(name: str) -> Any:
    """The module of an adapter.

    Raises:
        PluginError: If it cannot be imported, or lacks a function.
    """
    entry = adapters()[name]
    try:
        module = entry.load()
        module.load, module.list_tasks  # noqa: B018
    except Exception as cause:
        wheel = entry.dist.name if entry.dist else ""
        raise PluginError(
            f"adapter {name!r} ({entry.value})",
            f"{type(cause).__name__}: {cause}",
            "a module with list_tasks and load",
            f"Tell the authors of {wheel or 'the adapter'}",
            wheel=wheel,
        ) from cause
    return module


def load(task_id: str, name: str, env_kwargs: dict[str, Any]) -> Any:
    """The environment of an id without its prefix, as "gymnax/CartPole-v1" or "package.mod:Class".

    Raises:
        UnknownTaskError: If there is no such task.
        MissingPackageError: If its library is not installed.
        ConfigError: If the library refuses `env_kwargs`, or the result is not an environment.
        WorkerError: If the library raises another exception.
    """
    adapter, _, task = name.partition("/")
    asked = f"make({task_id!r})"
    try:
        if adapter in adapters() and task:
            return module_of(adapter).load(task, **env_kwargs)
        return _object(name, asked)(**env_kwargs)
    except EnvPoolError:
        raise
    except ModuleNotFoundError as cause:
        package = cause.name or str(cause)
        raise MissingPackageError(
            asked,
            f"no package {package!r}",
            f"a Python that has it; envpool-jax[{adapter}] brings what the library needs",
            f"Run `pip install {package.partition('.')[0]}`",
        ) from cause
    except LookupError as cause:
        known = [f"jax:{adapter}/{one}" for one in module_of(adapter).list_tasks()]
        raise UnknownTaskError(
            asked,
            f"{task!r}, of which the library says: {cause}",
            f"{len(known)} ids that begin with 'jax:{adapter}/'",
            suggest(task_id, known, "Run `envpool list-envs`"),
        ) from cause
    except TypeError as cause:
        raise ConfigError(
            f"make({task_id!r}, env_kwargs={shorten(env_kwargs)})",
            str(cause),
            "what the library's own function takes",
            "Correct env_kwargs",
        ) from cause
    except Exception as cause:
        text = f"{type(cause).__name__}: {cause}"
        raise WorkerError(
            asked, text, "an environment that can be made", "See the exception above",
            task_id=task_id, failures=[(0, text)],
        ) from cause  # fmt: skip


def _object(name: str, asked: str) -> Any:
    """The object named "package.module:Class", as a function that makes a `JaxEnv`."""
    module_name, _, attribute = name.partition(":")
    try:
        made: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            made = getattr(made, part)
    except (ImportError, AttributeError, ValueError) as cause:
        raise UnknownTaskError(
            asked,
            f"{name!r}: {cause}",
            f"'jax:' and {', '.join(f'{one}/<id>' for one in adapters())}, or <module>:<class>",
            "Correct the id, or install what has it",
        ) from cause

    def make(**env_kwargs: Any) -> Any:
        from .adapters import recognised

        return recognised(made(**env_kwargs), asked)

    return make
