# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: "python:" and any id of Gymnasium, and the user's functions."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from envpool import Task
from envpool.errors import MissingPackageError, UnknownTaskError, suggest

from ._options import OPTION_DOCS, OWN_OPTIONS

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec

PREFIX = "python:"
ENV = "envpool_python._python:Remote"
# Packages that Gymnasium's own environments import, by a part of the module's name.
_NEEDS = {
    "box2d": ("Box2D",),
    "mujoco": ("mujoco", "glfw", "imageio", "packaging"),
    "phys2d": ("jax",),
    "tabular": ("jax",),
}
# Environments that refuse a package from some major version on, only when they are made.
_BEFORE = {"mujoco.pusher_v4": ("mujoco", 3)}
FUNCTIONS = Task(
    f"{PREFIX}env_fns",
    ENV,
    description="Environments that functions of yours make: envpool_python.make(env_fns)",
    options={**OWN_OPTIONS, "env_kind": "auto", "env_fns": ()},
    config_docs={key: text for key, text in OPTION_DOCS.items() if key != "env_kwargs"},
)


def tasks() -> Iterator[Task]:
    """Gymnasium's registered ids whose required packages are installed."""
    import gymnasium

    for name, spec in list(gymnasium.registry.items()):
        if _is_installed(spec.entry_point):
            yield _task_of(f"{PREFIX}{name}", spec)


def _is_installed(entry_point: object) -> bool:
    """True if an environment exists, as far as can be known without importing it."""
    # Vector-only registrations, as EnvPool's own, have no entry point. If Gymnasium has a function,
    # the function reports that the environment moved to another package.
    if not isinstance(entry_point, str):
        return callable(entry_point) and not entry_point.__module__.startswith("gymnasium.")
    needed = (packages for part, packages in _NEEDS.items() if f".{part}" in entry_point)
    if not all(importlib.util.find_spec(name) for packages in needed for name in packages):
        return False
    limits = (limit for part, limit in _BEFORE.items() if f".{part}:" in entry_point)
    return all(_major(package) < version for package, version in limits)


def _major(package: str) -> int:
    return int(importlib.metadata.version(package).partition(".")[0])


def find(task_id: str) -> Task | None:
    """The task of an id of this family.

    Raises:
        UnknownTaskError: If Gymnasium lacks the id.
        MissingPackageError: If the id's module, or a module that it imports, is missing.
    """
    import gymnasium

    name = task_id.removeprefix(PREFIX)
    if task_id == FUNCTIONS.id:
        return FUNCTIONS
    try:
        return _task_of(task_id, spec_of(task_id))
    except ModuleNotFoundError as cause:
        raise MissingPackageError(
            f"make({task_id!r})",
            f"no package {cause.name!r}",
            "a Python that has the module before the second colon",
            f"Run `pip install {(cause.name or '').partition('.')[0]}`",
        ) from cause
    except (gymnasium.error.Error, ImportError) as cause:
        known = [f"{PREFIX}{one}" for one in gymnasium.registry]
        raise UnknownTaskError(
            f"make({task_id!r})",
            f"{name!r}, of which Gymnasium says: {str(cause).rstrip('.')}",
            "'python:' and an id that gymnasium.make takes, 'module:Name-v0' among them",
            suggest(task_id, known, "Register it with Gymnasium, or use envpool_python.make"),
        ) from cause


def spec_of(task_id: str) -> EnvSpec:
    """Gymnasium's spec of an id, "python:Name-v0" or "python:module:Name-v0".

    Raises:
        gymnasium.error.Error: If Gymnasium lacks the id after the module was imported.
        ImportError: If the module cannot be imported.
    """
    import gymnasium

    module, _, name = task_id.removeprefix(PREFIX).rpartition(":")
    if module:
        importlib.import_module(module)
    return gymnasium.spec(name)


def _task_of(task_id: str, spec: EnvSpec) -> Task:
    defaults: dict[str, Any] = {"reward_threshold": spec.reward_threshold}
    if spec.max_episode_steps is not None:
        defaults["max_episode_steps"] = spec.max_episode_steps
    return Task(
        task_id,
        ENV,
        description="A Gymnasium environment, written in Python, in worker processes",
        options={**OWN_OPTIONS, "env_kwargs": {}},
        config_docs={key: OPTION_DOCS[key] for key in (*OWN_OPTIONS, "env_kwargs")},
        **{key: value for key, value in defaults.items() if value is not None},
    )
