# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it."""

from __future__ import annotations

import pytest
from envpool.testing import CHECKS, check_task
from envpool_mujoco import _gymnasium

GYMNASIUM = [task.id for task in _gymnasium.tasks()]
SMALL = {"render_width": 32, "render_quality": "fast"}  # frames are test_rendering.py's


@pytest.mark.parametrize("task_id", GYMNASIUM)
def test_gymnasium(task_id: str) -> None:
    # Frames show the robot, which all versions share.
    draws = task_id.endswith("-v5")
    checks = [check for check in CHECKS if draws or check.__name__ != "check_render"]
    check_task(task_id, num_envs=2, steps=32, checks=checks, **SMALL)


def test_gymnasium_by_images() -> None:
    check_task(
        "Reacher-v5",
        num_envs=2,
        steps=32,
        max_episode_steps=40,
        from_pixels=True,
        frame_stack=2,
        **SMALL,
    )


def test_own_model() -> None:
    check_task("MujocoXml-v0", reward={"up[2]": 1.0}, reset_noise_scale=0.01, **SMALL)
