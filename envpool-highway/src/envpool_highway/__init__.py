# SPDX-License-Identifier: Apache-2.0
"""highway-env: the tasks that the wheel envpool-highway adds to EnvPool.

    env = envpool.make("highway-v0", num_envs=64)
    obs, info = env.reset()

The roads and their traffic are in the compiled module ``envpool_highway._highway``, which
``envpool.make`` imports. They are highway-env's; env i under seed s plays the episodes that
``gymnasium.make`` plays after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from envpool import Family

from ._tasks import tasks

FAMILY = Family(
    tasks,
    prepare="envpool_highway._prepare:prepare",
    findings="envpool_highway._findings:findings",
)
