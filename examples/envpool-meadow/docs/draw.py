# SPDX-License-Identifier: Apache-2.0
"""Draws the image of the README, `hunt.png`: a moment of a hunt, and what one fox sees of it."""

from __future__ import annotations

from pathlib import Path

import envpool
from envpool_meadow.policies import chase_and_flee
from PIL import Image

SEED, MOMENT, FOX, WIDTH = 12, 27, 0, 500

with envpool.make(
    "Meadow/Tag-v0",
    seed=SEED,
    render_mode="rgb_array",
    render_width=WIDTH,
    show_lidar=FOX,
) as pool:
    obs, _ = pool.reset()
    for _ in range(MOMENT):
        obs, *_ = pool.step(chase_and_flee(obs["players"]))
    frame = Image.fromarray(pool.render()[0])
path = Path(__file__).with_name("hunt.png")
small = frame.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
small.save(path, optimize=True)
print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB")
