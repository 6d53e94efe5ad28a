# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: "ray:" and the id of a task of any other family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import envpool
from envpool import Task
from envpool.errors import ConfigError, shorten

PREFIX = "ray:"
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


def make(task_id: str, env_type: str = "gymnasium", **config: Any) -> Any:
    """Makes a pool whose environments are in actors of Ray.

        pool = envpool_ray.make("Pong-v5", num_envs=1024, batch_size=256, num_actors=8)

    Actor k has the k-th part of the environments, with threads of its own. All else is as of
    `envpool.make`, seeds and trajectories too.

    Args:
        task_id: A task of any other family.
        env_type: As of `envpool.make`: "gymnasium", "vector" or "dm".
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
        fixed=inner.fixed,
        infinite=inner.infinite,
        **defaults,
    )
