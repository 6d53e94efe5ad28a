# SPDX-License-Identifier: Apache-2.0
"""Gymnasium-Robotics' tasks: Fetch, the Shadow hand, Adroit, mazes and the Franka kitchen.

The environments are in the compiled module `envpool_robotics._robotics`, which `envpool.make`
imports. They simulate with envpool-mujoco, and read the models of the installed
gymnasium-robotics. Environment i under seed s gives the episodes that `gymnasium.make` gives after
`reset(seed=s + i)`.
"""

from __future__ import annotations

from envpool_mujoco.family import RobotFamily

from . import _tasks
from ._rewards import compute_reward

__all__ = ["compute_reward"]

FAMILY = RobotFamily(
    _tasks.tasks,
    prepare="envpool_robotics._prepare:prepare",
    findings="envpool_robotics._findings:findings",
)
