# SPDX-License-Identifier: Apache-2.0
"""Google Research Football: the tasks that the wheel envpool-gfootball adds to EnvPool.

    env = envpool.make("gfootball/academy_empty_goal_close-v1", num_envs=64)
    obs, info = env.reset()

The compiled module ``envpool_gfootball._gfootball`` contains the engine of the package gfootball;
the engine's data lie beside it. A scenario is a Python program, the package's or your own, and is
run when a pool is made.
"""

from __future__ import annotations

from envpool import Family

from ._tasks import tasks

FAMILY = Family(
    tasks,
    prepare="envpool_gfootball._prepare:prepare",
    findings="envpool_gfootball._findings:findings",
)
