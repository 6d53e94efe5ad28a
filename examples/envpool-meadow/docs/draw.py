# SPDX-License-Identifier: Apache-2.0
"""Draws the image of the README, `hunt.png`: a moment of a hunt, and a fox's view of it.

The film of the hunt before that moment is `hunt.webp`.
"""

from __future__ import annotations

from pathlib import Path

import envpool
from envpool_meadow.policies import chase_and_flee
from PIL import Image

SEED, MOMENT, FOX, WIDTH = 12, 27, 0, 500
FILM = 280, 210  # pixels

with envpool.make(
    "Meadow/Tag-v0",
    seed=SEED,
    render_mode="rgb_array",
    render_width=WIDTH,
    show_lidar=FOX,
) as pool:
    obs, _ = pool.reset()
    frames = [Image.fromarray(pool.render()[0])]
    for _ in range(MOMENT):
        obs, *_ = pool.step(chase_and_flee(obs["players"]))
        frames.append(Image.fromarray(pool.render()[0]))
    frame = frames[-1]
path = Path(__file__).with_name("hunt.png")
small = frame.quantize(128, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
small.save(path, optimize=True)
film = [frame.resize(FILM, Image.Resampling.BOX) for frame in frames]
moving = {"save_all": True, "append_images": film[1:], "duration": 100, "loop": 0}
film[0].save(path.with_suffix(".webp"), quality=60, method=6, **moving)
print(f"{path.name}: {path.stat().st_size / 1000:.1f} kB")
