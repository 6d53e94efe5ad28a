# SPDX-License-Identifier: Apache-2.0
"""MyoSuite 2.12.2: poses, reaching, hands with objects, walking and challenges, by muscles.

The environments are in the compiled module `envpool_myosuite._myosuite`, which `envpool.make`
imports. They simulate with envpool-mujoco, and read the models of the installed myosuite.
Environment i under seed s gives the episodes of the reference's environment that was made with
`seed=s + i`.
"""

from __future__ import annotations

from envpool_mujoco.family import RobotFamily

from . import _tasks

FAMILY = RobotFamily(
    _tasks.tasks,
    prepare="envpool_myosuite._prepare:prepare",
    findings="envpool_myosuite._findings:findings",
)
