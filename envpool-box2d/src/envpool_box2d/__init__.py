# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's Box2D tasks, which the wheel envpool-box2d adds to EnvPool.

The environments are in the compiled module ``envpool_box2d._box2d``, which ``envpool.make``
imports. Their rules are Gymnasium's, and so is the physics engine, Box2D 2.3; env i under seed s
gives the episodes that ``gymnasium.make`` gives after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from envpool import Family

from . import _tasks

FAMILY = Family(
    _tasks.tasks,
    prepare="envpool_box2d._prepare:prepare",
    findings="envpool_box2d._findings:findings",
)
