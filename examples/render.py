# SPDX-License-Identifier: Apache-2.0
"""Draws environments without a window or a graphics card; needs `pip install pillow`.

Writes four Taxis side by side into taxi.png, or into the file that is named.
"""

from __future__ import annotations

import sys

import envpool
import numpy as np
from PIL import Image


def main() -> None:
    """Takes 20 steps and writes a picture of the environments."""
    path = sys.argv[1] if len(sys.argv) > 1 else "taxi.png"
    rng = np.random.default_rng(0)
    with envpool.make("Taxi-v3", num_envs=4, render_mode="rgb_array", seed=0) as pool:
        pool.reset()
        for _ in range(20):
            pool.step(rng.integers(6, size=4))
        frames = pool.render(env_ids=pool.all_env_ids)  # uint8 (4, height, width, 3)
    Image.fromarray(np.hstack(list(frames))).save(path)
    print(f"{len(frames)} frames of {frames.shape[1]} x {frames.shape[2]} pixels are in {path}")


if __name__ == "__main__":
    main()
