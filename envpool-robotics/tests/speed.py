# SPDX-License-Identifier: Apache-2.0
"""Robots beside EnvPool 1.2.5; see tools/benchmarks/robots.py."""

from __future__ import annotations

from robots import Robot, tables

TABLES = tables(
    "Robotics",
    [
        Robot("FetchReach-v4", step=1.15, episode=51),
        Robot("FetchPush-v4", step=1.15, episode=51),
        Robot("HandReach-v3", step=1.05, episode=51),
        Robot("HandManipulateBlock-v1", step=1.05, episode=101),
        Robot("AdroitHandDoor-v1", step=1.3, episode=201),
        Robot("PointMaze_UMaze-v3", step=1.6, episode=301),
        # An episode of 64 kitchens takes a minute.
        Robot("FrankaKitchen-v1", step=1.5, make=1.0, episode=281, most=8),
    ],
)
