# SPDX-License-Identifier: Apache-2.0
"""What opens a pool: it enters the cluster and starts the actors, or leaves nothing behind."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from envpool.errors import StateError
from envpool.progress import Progress

from . import _cluster
from ._batch import Plan
from ._crew import Crew, Member, reason
from ._settings import Settings
from ._signals import Interruptible


def opened_crew(settings: Settings, plan: Plan) -> Crew:
    """Actors that have started. Each call needs one of `_cluster.leave`.

    Args:
        settings: Of the pool.
        plan: What actors are asked for.

    Raises:
        ConfigError: If the cluster cannot be reached, or an option of placement is wrong.
        StateError: If actors have not started in time.
        WorkerError: If an environment fails while it is built.
    """
    own = settings.recipe.options
    asked = f"make({settings.task_id!r}"
    cpus = own["num_actors"] * (own["cpus_per_actor"] or settings.config["num_threads"])
    ray = _cluster.enter(asked, own["address"], cpus, settings.patience)
    try:
        crew = _new_crew(ray, settings, plan)
        try:
            _start_all(crew, settings)
        except BaseException:
            crew.forget()
            raise
    except BaseException:
        _cluster.leave(ray)
        raise
    return crew


def _new_crew(ray: Any, settings: Settings, plan: Plan) -> Crew:
    nodes = sum(1 for node in ray.nodes() if node["Alive"])
    count = settings.recipe.options["num_actors"] or max(1, nodes)
    everybody = np.arange(settings.num_envs, dtype=np.int32)
    slices = np.array_split(everybody, min(count, settings.num_envs))
    return Crew(ray, settings, plan, slices)


def _start_all(crew: Crew, settings: Settings) -> None:
    for member in crew.members:
        crew.start(member)
    until = time.monotonic() + settings.patience
    waiting = {member.opening: member for member in crew.members}
    with Progress(f"Actors of {settings.task_id}", len(crew.members)) as progress:
        while waiting:
            with Interruptible():
                done, _ = crew.ray.wait(list(waiting), num_returns=1, timeout=0.2)
            for ref in done:
                _opened(crew, waiting.pop(ref), settings.task_id)
            progress.show(len(crew.members) - len(waiting))
            if not done and time.monotonic() > until:
                raise crew.too_late(f"make({settings.task_id!r})", len(waiting))


def _opened(crew: Crew, member: Member, task_id: str) -> None:
    try:
        crew.opened(member)
    except (crew.ray.exceptions.RayError, OSError) as cause:
        raise StateError(
            f"make({task_id!r})",
            f"actor {member.index} that could not start: {reason(cause)}",
            "actors that start",
            "Look into the logs of Ray; is EnvPool installed on every node, and may nodes connect?",
        ) from cause
