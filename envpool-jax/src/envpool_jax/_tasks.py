# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: "jax:" and an id of an adapter, a class, or an object of the user's."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from typing import Any

import envpool
from envpool import Prepared, Task
from envpool.errors import ConfigError, MissingPackageError, UnknownTaskError, shorten, suggest

from . import _adapters
from ._options import OPTION_DOCS, OWN_OPTIONS

PREFIX = "jax:"
ENV = "envpool_jax._env:BatchEnv"
OBJECT = Task(
    f"{PREFIX}env",
    ENV,
    description="An environment of yours: envpool_jax.make(env)",
    options={"env": None, **{k: v for k, v in OWN_OPTIONS.items() if k != "env_kwargs"}},
    config_docs={"env": "the environment"}
    | {key: text for key, text in OPTION_DOCS.items() if key != "env_kwargs"},
)
_kept: dict[Any, Any] = {}  # by task and arguments: the next environment reuses a compiled program
_MOST_KEPT = 64


def make(env: Any, env_type: str = "gymnasium", **config: Any) -> Any:
    """Makes a pool of an environment written in JAX.

    Args:
        env: An object with the functions of `envpool_jax.JaxEnv`, or an environment of gymnax, pgx,
            jumanji, craftax, brax or MuJoCo Playground.
        env_type: As for `envpool.make`: "gymnasium", "vector" or "dm".
        **config: Options, as for `envpool.make`.

    Returns:
        The pool, as of `envpool.make`.

    Raises:
        ConfigError: If it is not an environment, its arrays do not fit its spaces, or an option is
        wrong.
        WorkerError: If the environment raises an exception while JAX traces it.
    """
    return envpool.make(OBJECT.id, env_type, env=env, **config)


def tasks() -> Iterator[Task]:
    """The adapters' tasks; a failing adapter is left out, and `envpool doctor` gives the reason."""
    for name in _adapters.adapters():
        try:
            found = _adapters.module_of(name).list_tasks()
        except Exception:
            continue
        for task in found:
            yield _task_of(f"{PREFIX}{name}/{task}")


def find(task_id: str) -> Task | None:
    """The task of an id of this family.

    Raises:
        UnknownTaskError: If the id has no known form.
    """
    if task_id == OBJECT.id:
        return OBJECT
    name = task_id.removeprefix(PREFIX)
    adapter, _, task = name.partition("/")
    if task and adapter in _adapters.adapters():
        known = _adapters.module_of(adapter).list_tasks()
        if known and task not in known and ":" not in task:
            raise UnknownTaskError(
                f"make({task_id!r})",
                f"{task!r}",
                f"{len(known)} ids that begin with '{PREFIX}{adapter}/'",
                suggest(task, known, "Run `envpool list-envs`"),
            )
        return _task_of(task_id)
    if ":" in name and "/" not in name:
        return _task_of(task_id)
    forms = [f"{PREFIX}{one}/<id>" for one in _adapters.adapters()]
    raise UnknownTaskError(
        f"make({task_id!r})",
        repr(name),
        f"{', '.join(forms)}, or {PREFIX}<module>:<class>",
        suggest(adapter, list(_adapters.adapters()), "Correct the id"),
    )


def _task_of(task_id: str) -> Task:
    return Task(
        task_id,
        ENV,
        description="An environment written in JAX: one compiled step for the whole batch",
        options=OWN_OPTIONS,
        config_docs=OPTION_DOCS,
    )


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """Makes the environment of a task. It is traced when its arrays are needed."""
    if importlib.util.find_spec("jax") is None:
        raise MissingPackageError(
            f"make({task.id!r})", "no JAX", "a Python that has jax", "Run `pip install jax`"
        )
    if task.id == OBJECT.id:
        if options.get("env") is None:
            raise ConfigError(
                f"make({task.id!r})",
                "no environment",
                "env=..., an environment written in JAX",
                "Call envpool_jax.make(env, num_envs=...)",
            )
        return Prepared(_of_object(options["env"]), options)
    kwargs = options.get("env_kwargs") or {}
    if not isinstance(kwargs, Mapping) or not all(isinstance(key, str) for key in kwargs):
        raise ConfigError(
            f"make({task.id!r}, env_kwargs={shorten(kwargs)})",
            shorten(kwargs),
            "a dict of arguments of the library's function",
            "Pass env_kwargs={'name': value}",
        )
    arguments = repr(sorted(kwargs.items()))
    env: Any = _remembered(
        (task.id, arguments),
        lambda: _adapters.load(task.id, task.id.removeprefix(PREFIX), dict(kwargs)),
        task.id,
        arguments=arguments,
    )
    return Prepared(env, options)


def _of_object(env: Any) -> Any:
    from .adapters import recognised

    key = (OBJECT.id, id(env))
    known = _kept.get(key)
    if known is not None and known.given is env:
        return known
    return _remembered(key, lambda: recognised(env, "envpool_jax.make(env)"), OBJECT.id, env)


def _remembered(key: Any, load: Any, task_id: str, given: Any = None, arguments: str = "") -> Any:
    found = _kept.pop(key, None)
    if found is None or found.given is not given:
        from ._env import BatchEnv

        env = load()
        words = (
            task_id.removeprefix(PREFIX).replace("-", "_")
            if given is None
            else type(given).__name__
        )
        name = "".join(part[:1].upper() + part[1:] for part in _parts(words))
        found = BatchEnv(env, name or "Jax", task_id, given, arguments)
    _kept[key] = found
    while len(_kept) > _MOST_KEPT:
        del _kept[next(iter(_kept))]
    return found


def _parts(words: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in words).split()
