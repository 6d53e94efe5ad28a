# SPDX-License-Identifier: Apache-2.0
"""One pool over many machines: actors of Ray, each with a slice of the environments.

    pool = envpool_ray.make("Pong-v5", num_envs=1024, batch_size=256, num_actors=8)

The task "ray:Pong-v5" of `envpool.make` is the same.
"""

from __future__ import annotations

from envpool import Family

from . import _tasks
from ._cluster import cluster
from ._tasks import make

__all__ = ["cluster", "make"]

FAMILY = Family(
    (),  # every task of another family is one of these, with "ray:" before its id
    task=_tasks.find,
    commands="envpool_ray._command:add_commands",
    prepare="envpool_ray._prepare:prepare",
    findings="envpool_ray._findings:findings",
)
