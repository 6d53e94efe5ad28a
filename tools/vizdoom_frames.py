# SPDX-License-Identifier: Apache-2.0
"""Draws a page with a frame of every Doom task whose maps are there.

    python tools/vizdoom_frames.py docs/images/vizdoom.png

Each task is played for a moment, always in the same way. Needs envpool-vizdoom and pillow.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import envpool
import numpy as np
from _frames_page import write
from envpool_vizdoom import envpool_tasks
from PIL import Image

COLUMNS = 5
WIDTH, HEIGHT = 192, 144  # pixels of a frame
STEPS = 12


def frame(task_id: str) -> Image.Image:
    """What is seen a moment after an episode began."""
    actions = np.random.default_rng(3)
    options: dict[str, Any] = {"render_mode": "rgb_array", "render_resolution": "640x480"}
    with envpool.make(task_id, seed=4, **options) as pool:
        pool.reset()
        shape = (1, *pool.action_space.shape)
        for _ in range(STEPS):
            pool.step(actions.integers(0, 2, shape).astype(np.float64))
        return Image.fromarray(pool.render()[0]).resize((WIDTH, HEIGHT), Image.Resampling.BOX)


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    ids = [task.id for task in envpool_tasks()]
    there = [one for one in ids if one[:2] not in ("D3", "D4") and one != "VizdoomCustom-v1"]
    frames = [(task_id.removesuffix("-v1"), frame(task_id)) for task_id in there]
    write(parser.parse_args().out, frames, COLUMNS)


if __name__ == "__main__":
    main()
