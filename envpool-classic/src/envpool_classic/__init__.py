# SPDX-License-Identifier: Apache-2.0
"""Classic control and toy text: the tasks that the wheel envpool-classic adds to EnvPool.

The environments are in the compiled module ``envpool_classic._classic``, which ``envpool.make``
imports. Their rules are Gymnasium's; env i under seed s gives the episodes that ``gymnasium.make``
gives after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from envpool import Family

from . import _tasks

FAMILY = Family(
    _tasks.tasks,
    prepare="envpool_classic._prepare:prepare",
    findings="envpool_classic._findings:findings",
)
