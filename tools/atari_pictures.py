# SPDX-License-Identifier: Apache-2.0
"""Draws a page with a picture of every Atari game.

    python tools/atari_pictures.py docs/images/atari.png

Each game is played at random for a few seconds, always in the same way. Needs envpool-atari with
cartridges, and Pillow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import envpool
import numpy as np
from envpool_atari import envpool_tasks
from PIL import Image, ImageDraw

COLUMNS = 13
WIDTH, HEIGHT, LABEL = 96, 126, 12  # pixels of a picture, and of the name below it
STEPS = 60


def picture(task_id: str) -> Image.Image:
    """The screen of a game, some seconds after it began."""
    actions = np.random.default_rng(0)
    with envpool.make(task_id, seed=0, render_mode="rgb_array", obs_type="ram") as pool:
        pool.reset()
        for _ in range(STEPS):
            pool.step(actions.integers(pool.action_space.n, size=1))
        return Image.fromarray(pool.render()[0]).resize((WIDTH, HEIGHT), Image.Resampling.BOX)


def main() -> None:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    tasks = [task.id for task in envpool_tasks()]
    rows = -(-len(tasks) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * (WIDTH + 4), rows * (HEIGHT + LABEL + 4)), "white")
    draw = ImageDraw.Draw(page)
    for number, task_id in enumerate(tasks):
        x = number % COLUMNS * (WIDTH + 4)
        y = number // COLUMNS * (HEIGHT + LABEL + 4)
        page.paste(picture(task_id), (x, y))
        draw.text((x, y + HEIGHT), task_id.removesuffix("-v5"), "black")
    page.quantize(64).save(out, optimize=True)
    print(f"{out}: {len(tasks)} games, {out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
