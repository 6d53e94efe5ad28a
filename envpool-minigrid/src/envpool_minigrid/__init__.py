# SPDX-License-Identifier: Apache-2.0
"""MiniGrid and BabyAI: the tasks that the wheel envpool-minigrid adds to EnvPool.

    env = envpool.make("MiniGrid-DoorKey-8x8-v0", num_envs=64)
    obs, info = env.reset()
    envpool_minigrid.decode_mission(obs["mission"][0])

The levels are in the compiled module ``envpool_minigrid._minigrid``, which ``envpool.make``
imports. They are minigrid's; env i under seed s plays the episodes that ``gymnasium.make`` plays
after ``reset(seed=s + i)``.
"""

from __future__ import annotations

from envpool import Family

from ._missions import decode_mission as decode_mission
from ._tasks import tasks

FAMILY = Family(
    tasks,
    prepare="envpool_minigrid._prepare:prepare",
    findings="envpool_minigrid._findings:findings",
)
