# SPDX-License-Identifier: Apache-2.0
"""Environments written in JAX, a whole batch in one compiled step: those of libraries and your own.

    envpool.make("jax:gymnax/CartPole-v1", num_envs=1024)
    envpool_jax.make(MyEnv(), num_envs=1024)

JAX is imported when a pool or a spec is made, not before.
"""

from __future__ import annotations

from envpool import Family

from . import _tasks
from ._tasks import make
from .protocol import JaxEnv, Step

__all__ = ["JaxEnv", "Step", "make"]

FAMILY = Family(
    _tasks.tasks,
    task=_tasks.find,
    prepare=_tasks.prepare,
    findings="envpool_jax._findings:findings",
)
