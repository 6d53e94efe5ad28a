# SPDX-License-Identifier: Apache-2.0
"""Draws a page with a frame of every MuJoCo task.

    python tools/mujoco_frames.py docs/images/mujoco.png

Each task is played at random for a moment, always in the same way. Needs envpool-mujoco with
dm_control, OpenGL, and Pillow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import envpool
import numpy as np
from _frames_page import write
from envpool.testing import random_actions
from envpool_mujoco import envpool_tasks
from PIL import Image

COLUMNS = 8
WIDTH, HEIGHT = 144, 108  # pixels of a frame
STEPS = 10


def frame(task_id: str) -> Image.Image:
    """What is seen a moment after an episode began."""
    actions = np.random.default_rng(0)
    options = {
        "render_width": 2 * WIDTH,
        "render_height": 2 * HEIGHT,
        # The free camera of the suite is where the model says; its first camera follows the robot.
        "render_camera_id": 0 if task_id.endswith("-v1") and not task_id.startswith("Lqr") else -1,
    }
    with envpool.make(task_id, "gymnasium", seed=0, render_mode="rgb_array", **options) as pool:
        pool.reset()
        for _ in range(STEPS):
            action = random_actions(pool.action_space, 1, actions)
            pool.step(np.clip(action, -1, 1))
        return Image.fromarray(pool.render()[0]).resize((WIDTH, HEIGHT), Image.Resampling.BOX)


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    newest = [task.id for task in envpool_tasks() if task.id[-3:] not in ("-v2", "-v3", "-v4")]
    frames = [(task_id.removesuffix("-v1"), frame(task_id)) for task_id in newest]
    write(parser.parse_args().out, frames, COLUMNS)


if __name__ == "__main__":
    main()
