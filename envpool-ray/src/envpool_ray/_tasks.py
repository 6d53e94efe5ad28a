# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: "ray:" and the id of a task of any other family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import envpool
from envpool import Prepared, Task
from envpool.errors import ConfigError, shorten, suggest

PREFIX = "ray:"
PLACEMENTS = ("spread", "pack")
OWN_OPTIONS: dict[str, object] = {
    "num_actors": 0,
    "cpus_per_actor": 0.0,
    "placement": None,
    "resources": {},
    "labels": {},
    "runtime_env": {},
    "address": "",
    "checkpoint_every": 0,
    "actor_timeout": 300.0,
    "start_timeout": 120.0,
}
OPTION_DOCS = {
    "num_actors": "actors that share the environments; 0: one for each node of the cluster",
    "cpus_per_actor": "CPUs that Ray keeps for an actor; 0: num_threads, or an equal share of all",
    "placement": "where actors go: 'spread', 'pack', or a scheduling strategy of Ray",
    "resources": "custom resources that an actor needs, by their names",
    "labels": "labels that the node of an actor has to have",
    "runtime_env": "Ray's runtime environment of the actors",
    "address": "the cluster, as for ray.init; empty: the one in use, or a local one",
    "checkpoint_every": "results after which an actor's states are saved; 0: never",
    "actor_timeout": "seconds after which an actor that does not answer is replaced; 0: never",
    "start_timeout": "seconds that actors may take to start",
}
_POSITIVE = ("num_actors", "cpus_per_actor", "checkpoint_every", "actor_timeout")
# They are about the whole pool, and mean something else to a slice of it.
_OF_THE_POOL = {"num_envs", "batch_size", "seed", "env_seed", "render_env_id", "env_fns"}


class Recipe(NamedTuple):
    """How a pool is spread over actors, and what each of them makes."""

    task_id: str
    """The task that actors make, without the prefix."""
    given: Mapping[str, Any]
    """The options that the user gave for it, without those that are about the whole pool."""
    env_fns: tuple[Any, ...]
    """A function for each environment; empty if the task makes them."""
    options: Mapping[str, Any]
    """`OWN_OPTIONS`, as they were given."""


def make(task_id: str, env_type: str = "gymnasium", **config: Any) -> Any:
    """Makes a pool whose environments are in actors of Ray.

        pool = envpool_ray.make("Pong-v5", num_envs=1024, batch_size=256, num_actors=8)

    Actor k has the k-th part of the environments, with threads of its own. All else is as of
    `envpool.make`, seeds and trajectories too.

    Args:
        task_id: A task of any other family.
        env_type: As of `envpool.make`: "gymnasium", "gym", "vector" or "dm".
        **config: Options of the task, and

            - num_actors, cpus_per_actor, placement, resources, labels, runtime_env, address: how
              many actors there are, and where;
            - checkpoint_every, actor_timeout, start_timeout: what happens when one is lost.

            `num_threads` is of one actor.

    Returns:
        The pool, as of `envpool.make`; every result has "actor_restarted" in its info.

    Raises:
        UnknownTaskError: If no installed family has the task.
        ConfigError: If an option is wrong, or the cluster cannot be reached.
        StateError: If the actors have not started in time.
        WorkerError: If an environment fails while it is built.
    """
    if not isinstance(task_id, str):
        raise ConfigError(
            f"envpool_ray.make({shorten(task_id)})",
            shorten(task_id),
            "the id of a task",
            "Pass one of envpool.list_all_envs()",
        )
    return envpool.make(PREFIX + task_id.removeprefix(PREFIX), env_type, **config)


def find(task_id: str) -> Task | None:
    """The task of an id of this family; None if it is of another.

    Raises:
        UnknownTaskError: If no family has the task that actors would make.
    """
    if not task_id.startswith(PREFIX):
        return None
    inner_id = task_id.removeprefix(PREFIX)
    if inner_id.startswith(PREFIX):
        raise ConfigError(
            f"make({task_id!r})", "actors within actors", "one 'ray:'", "Leave the second out"
        )
    inner = envpool.registration.registry.find(inner_id)
    defaults: Mapping[str, Any] = inner.defaults
    return Task(
        task_id,
        "envpool_ray._env:RayEnv",
        description=f"{inner.description or inner.id}, in actors of Ray",
        config_docs={**inner.config_docs, **OPTION_DOCS},
        options={**inner.options, **OWN_OPTIONS},
        render_fps=inner.render_fps,
        keys=inner.keys,
        tuple_choices=inner.tuple_choices,
        **defaults,
    )


def prepare(task: Task, options: Mapping[str, Any], build: bool) -> Prepared:
    """An environment that knows what actors make."""
    own = {key: options.get(key, default) for key, default in OWN_OPTIONS.items()}
    _check(task.id, own)
    inner_id = task.id.removeprefix(PREFIX)
    given = {key: value for key, value in options.items() if key not in OWN_OPTIONS}
    try:
        spec = envpool.make_spec(inner_id, **given)
    except ConfigError as error:
        raise _with_own_options(error, task.id, inner_id, given) from None
    from ._env import RayEnv

    recipe = Recipe(
        inner_id,
        {key: value for key, value in given.items() if key not in _OF_THE_POOL},
        tuple(given.get("env_fns", ())),
        own,
    )
    env: Any = RayEnv(spec, recipe)
    return Prepared(env, {**spec.options, **own}, spec.notes)


def _with_own_options(
    error: ConfigError, task_id: str, inner_id: str, given: Mapping[str, Any]
) -> ConfigError:
    """The error, which names the options of this wheel, too, if one is unknown."""
    for key, value in given.items():
        asked = f"{key}={shorten(value)})"
        if error.asked == f"make({inner_id!r}, {asked}" and "does not have" in error.got:
            known = [*error.allowed.split(", "), *OWN_OPTIONS]
            then = suggest(key, known, "Leave it out")
            return ConfigError(f"make({task_id!r}, {asked}", error.got, ", ".join(known), then)
    return error


def _check(task_id: str, own: Mapping[str, Any]) -> None:
    """Raises ConfigError for options of this wheel that are out of range."""

    def refuse(key: str, allowed: str, then: str) -> ConfigError:
        value = shorten(own[key])
        return ConfigError(f"make({task_id!r}, {key}={value})", value, allowed, then)

    for key in _POSITIVE:
        if not own[key] >= 0:
            raise refuse(key, "0, or a number above it", f"Correct {key}")
    if not own["start_timeout"] > 0:
        raise refuse("start_timeout", "a number of seconds above 0", "Correct start_timeout")
    for key in ("resources", "labels", "runtime_env"):
        if not isinstance(own[key], Mapping):
            raise refuse(key, "a dict", f"Pass {key} as a dict")
    placement = own["placement"]
    if isinstance(placement, str) and placement not in PLACEMENTS:
        allowed = "'spread', 'pack', None, or a scheduling strategy of Ray"
        raise refuse("placement", allowed, suggest(placement, PLACEMENTS, "Pass one of these"))
