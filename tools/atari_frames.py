# SPDX-License-Identifier: Apache-2.0
"""Draws a page with a frame of every Atari game.

    python tools/atari_frames.py docs/images/atari.png

Each game is played at random for a few seconds, always in the same way. Needs envpool-atari with
cartridges, and Pillow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import envpool
import numpy as np
from _frames_page import write
from envpool.testing import random_actions
from envpool_atari import envpool_tasks
from PIL import Image

COLUMNS = 13
SIZE = 96, 126  # pixels of a frame
STEPS = 60


def frame(task_id: str) -> Image.Image:
    """The screen of a game, some seconds after it began."""
    actions = np.random.default_rng(0)
    with envpool.make(task_id, seed=0, render_mode="rgb_array", obs_type="ram") as pool:
        pool.reset()
        for _ in range(STEPS):
            pool.step(random_actions(pool.action_space, 1, actions))
        return Image.fromarray(pool.render()[0]).resize(SIZE, Image.Resampling.BOX)


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    tasks = [task.id for task in envpool_tasks()]
    frames = [(task_id.removesuffix("-v5"), frame(task_id)) for task_id in tasks]
    write(parser.parse_args().out, frames, COLUMNS)


if __name__ == "__main__":
    main()
