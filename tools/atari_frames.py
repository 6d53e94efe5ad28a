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
from envpool.testing import random_actions
from envpool_atari import envpool_tasks
from PIL import Image, ImageDraw

COLUMNS = 13
WIDTH, HEIGHT = 96, 126  # pixels of a frame
CELL_WIDTH, CELL_HEIGHT = 106, 144  # of one with its name below, which may be wider
LEAST_GAP = 4  # between two names
STEPS = 60


def frame(task_id: str) -> Image.Image:
    """The screen of a game, some seconds after it began."""
    actions = np.random.default_rng(0)
    with envpool.make(task_id, seed=0, render_mode="rgb_array", obs_type="ram") as pool:
        pool.reset()
        for _ in range(STEPS):
            pool.step(random_actions(pool.action_space, 1, actions))
        return Image.fromarray(pool.render()[0]).resize((WIDTH, HEIGHT), Image.Resampling.BOX)


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    tasks = [task.id for task in envpool_tasks()]
    rows = -(-len(tasks) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * CELL_WIDTH, rows * CELL_HEIGHT), "white")
    draw = ImageDraw.Draw(page)
    for number, task_id in enumerate(tasks):
        row, column = divmod(number, COLUMNS)
        x, y = column * CELL_WIDTH, row * CELL_HEIGHT
        page.paste(frame(task_id), (x + (CELL_WIDTH - WIDTH) // 2, y))
        name = task_id.removesuffix("-v5")
        room = CELL_WIDTH - draw.textlength(name)
        if room < LEAST_GAP:
            raise ValueError(f"{name} is too wide for a cell of {CELL_WIDTH} pixels")
        draw.text((x + room / 2, y + HEIGHT + 1), name, "black")
    page.quantize(256).save(out, optimize=True)
    print(f"{out}: {len(tasks)} games, {out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
