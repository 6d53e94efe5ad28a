# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: "python:" and any id that Gymnasium knows, and the user's functions."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import envpool
from envpool import Prepared, Task
from envpool.errors import ConfigError, UnknownTaskError, shorten, suggest

from ._recipes import Factories, GymnasiumTask, Recipe

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec

PREFIX = "python:"
ENV = "envpool_python._python:Remote"
OPTION_DOCS = {
    "num_workers": "worker processes; 0: num_threads, or one for each CPU that may be used",
    "start_method": "how workers start: 'forkserver', or 'spawn', slower and more separate",
    "on_error": "when an environment or its worker fails: 'raise', or 'restart' and go on",
    "step_timeout": "seconds that a step or a reset may take; 0: as long as it wants",
    "env_kwargs": "arguments of gymnasium.make",
    "env_fns": "one function for each environment, which makes it",
}
OWN_OPTIONS: dict[str, object] = {
    "num_workers": 0,
    "start_method": "forkserver",
    "on_error": "raise",
    "step_timeout": 0.0,
}
# What Gymnasium's own environments import, by a part of the module's name.
_NEEDS = {
    "box2d": ("Box2D",),
    "mujoco": ("mujoco", "glfw", "imageio", "packaging"),
    "phys2d": ("jax",),
    "tabular": ("jax",),
}
# Those that refuse a package from some major version on, which they say only when they are made.
_BEFORE = {"mujoco.pusher_v4": ("mujoco", 3)}
FUNCTIONS = Task(
    f"{PREFIX}env_fns",
    ENV,
    description="Environments that functions of yours make: envpool_python.make(env_fns)",
    options={**OWN_OPTIONS, "env_fns": ()},
    config_docs={key: text for key, text in OPTION_DOCS.items() if key != "env_kwargs"},
)


def make(env_fns: Iterable[Callable[[], Any]], env_type: str = "gymnasium", **config: Any) -> Any:
    """Makes a pool of the environments that functions make, each in a worker process.

    Args:
        env_fns: Functions without arguments that return a `gymnasium.Env` or a PettingZoo parallel
            environment; the i-th makes environment i. Lambdas and functions of the main program
            will do. All environments have the same spaces.
        env_type: As of `envpool.make`: "gymnasium", "vector" or "dm".
        **config: Options, as for `envpool.make`; num_envs is the number of functions.

    Returns:
        The pool, as of `envpool.make`.

    Raises:
        ConfigError: If it is no list of functions, one cannot be pickled, a space has no arrays, or
            an option is wrong.
        WorkerError: If an environment cannot be made.
    """
    functions = list(env_fns) if isinstance(env_fns, Iterable) else []
    if not functions or not all(map(callable, functions)):
        raise ConfigError(
            f"envpool_python.make({shorten(env_fns)})",
            shorten(env_fns),
            "a list of functions, one for each environment",
            "Pass [make_env] * 8 for eight environments that one function makes",
        )
    config.setdefault("num_envs", len(functions))
    return envpool.make(FUNCTIONS.id, env_type, env_fns=functions, **config)


def tasks() -> Iterator[Task]:
    """What Gymnasium knows now, as far as the packages are there that it needs."""
    import gymnasium

    for name, spec in list(gymnasium.registry.items()):
        if _is_installed(spec.entry_point):
            yield _task_of(f"{PREFIX}{name}", spec)


def _is_installed(entry_point: object) -> bool:
    """Whether there is an environment, as far as can be told without importing it."""
    # Those that are only vectorized, as EnvPool's own, have none. Where Gymnasium has a function,
    # it says that the environment has moved to another package.
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
        UnknownTaskError: If Gymnasium does not have it.
    """
    import gymnasium

    name = task_id.removeprefix(PREFIX)
    if task_id == FUNCTIONS.id:
        return FUNCTIONS
    try:
        return _task_of(task_id, gymnasium.spec(name))
    except (gymnasium.error.Error, ImportError) as cause:
        known = [f"{PREFIX}{one}" for one in gymnasium.registry]
        raise UnknownTaskError(
            f"make({task_id!r})",
            f"{name!r}, of which Gymnasium says: {str(cause).rstrip('.')}",
            "'python:' and an id that gymnasium.make takes, 'module:Name-v0' among them",
            suggest(task_id, known, "Register it with Gymnasium, or use envpool_python.make"),
        ) from cause


def _task_of(task_id: str, spec: EnvSpec) -> Task:
    defaults: dict[str, Any] = {"reward_threshold": spec.reward_threshold}
    if spec.max_episode_steps is not None:
        defaults["max_episode_steps"] = spec.max_episode_steps
    return Task(
        task_id,
        ENV,
        description="A Gymnasium environment, written in Python, in worker processes",
        options={**OWN_OPTIONS, "env_kwargs": {}},
        config_docs={key: text for key, text in OPTION_DOCS.items() if key != "env_fns"},
        **{key: value for key, value in defaults.items() if value is not None},
    )


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """An environment that knows how workers make it."""
    from ._env import PythonEnv

    asked = f"make({task.id!r})"
    if task.id == FUNCTIONS.id:
        functions = tuple(options.get("env_fns", ()))
        num_envs = options.get("num_envs", len(functions))
        if not functions or num_envs != len(functions):
            raise ConfigError(
                f"make({task.id!r}, num_envs={num_envs}, env_fns=...)",
                f"{len(functions)} functions",
                "one function for each environment",
                "Call envpool_python.make(env_fns), which sets num_envs itself",
            )

        def factories(config: Mapping[str, Any]) -> Recipe:
            return Factories(functions)

        env: Any = PythonEnv("Functions", factories, asked, build)
        return Prepared(env, options)
    kwargs = options.get("env_kwargs") or {}
    if not isinstance(kwargs, Mapping):
        raise ConfigError(
            f"make({task.id!r}, env_kwargs={shorten(kwargs)})",
            shorten(kwargs),
            "a dict of arguments of gymnasium.make",
            "Pass env_kwargs={'name': value}",
        )
    import gymnasium

    spec = gymnasium.spec(task.id.removeprefix(PREFIX))
    limit = options.get("max_episode_steps")

    def gymnasium_task(config: Mapping[str, Any]) -> Recipe:
        given = dict(kwargs)
        if limit is not None:
            given["max_episode_steps"] = limit
        if config["render_mode"] is not None:
            given["render_mode"] = "rgb_array"  # the pool opens windows itself
        return GymnasiumTask(spec, given)

    name = "".join(part for part in spec.name.title() if part.isalnum())
    env = PythonEnv(name, gymnasium_task, asked, build)
    return Prepared(env, options)
