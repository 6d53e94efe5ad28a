# SPDX-License-Identifier: Apache-2.0
"""Meta-World's fifty tasks with a Sawyer arm, one by one and as its benchmarks.

The environments are in the compiled module `envpool_metaworld._metaworld`, which `envpool.make`
imports. They simulate with what envpool-mujoco has, and read the models of the installed metaworld.
Environment i under seed s gives the episodes of the reference's environment after `seed(s + i)`.
"""

from __future__ import annotations

from envpool_mujoco.family import RobotFamily

from . import _tasks
from ._benchmarks import BENCHMARKS

__all__ = ["BENCHMARKS"]

FAMILY = RobotFamily(
    _tasks.tasks,
    prepare="envpool_metaworld._prepare:prepare",
    findings="envpool_metaworld._findings:findings",
)
