# SPDX-License-Identifier: Apache-2.0
"""Environments written in Python, in worker processes: Gymnasium's, PettingZoo's and users' own.

envpool.make("python:LunarLander-v3", num_envs=64, batch_size=16)
envpool_python.make([make_env] * 8)
"""

from __future__ import annotations

from envpool import Family

from . import _tasks
from ._make import make

__all__ = ["make"]

FAMILY = Family(
    _tasks.tasks,
    task=_tasks.find,
    prepare="envpool_python._prepare:prepare",
    findings="envpool_python._findings:findings",
)
