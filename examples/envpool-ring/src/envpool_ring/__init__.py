# SPDX-License-Identifier: Apache-2.0
"""A ring road on envpool-highway: the task that the wheel envpool-ring adds to EnvPool."""

from __future__ import annotations

from envpool import Family, Keys, Task

_RING = Task(
    "Ring-v0",
    "envpool_ring._ring:Highway",
    description="Get ahead through slow cars on a ring road.",
    config_docs={
        "lanes_count": "lanes of the ring",
        "vehicles_count": "cars beside the agent's",
        "roundabout_radius": "of the innermost lane, in metres",
        "reward_speed_range": "speeds that are paid with 0 and with high_speed_reward, in m/s",
    },
    keys=Keys({"": 1, "up": 0, "down": 2, "right": 3, "left": 4}),
    render_fps=2,
    scenario="ring",
    lanes_count=3,
    vehicles_count=8,
    roundabout_radius=40,
    duration=40,
    action_target_speeds=[5, 10, 15],
    reward_speed_range=[5, 15],
    screen_width=600,
    screen_height=600,
    centering_position=[0.5, 0.5],
)

FAMILY = Family([_RING])
