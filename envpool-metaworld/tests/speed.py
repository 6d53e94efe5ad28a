# SPDX-License-Identifier: Apache-2.0
"""Meta-World's tasks beside EnvPool 1.2.5; see tools/benchmarks/robots.py."""

from __future__ import annotations

from robots import Robot, tables

TABLES = tables(
    "Meta-World",
    [
        Robot("MetaWorld/Reach-v3", step=1.3, reset=20.0, episode=501),
        Robot("MetaWorld/Push-v3", step=1.3, reset=20.0, episode=501),
    ],
)
