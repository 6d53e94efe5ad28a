# SPDX-License-Identifier: Apache-2.0
"""Plays Pong with OCAtari, which reads the console's memory from a pool's results.

pip install envpool-atari ale-py matplotlib opencv-python-headless pygame-ce scikit-image termcolor
pip install --no-deps ocatari  # it asks for NumPy 1, and works with a newer version
python examples/atari/pong_objects.py

OCAtari's readers take 128 bytes and find objects in them. Here they get `info["ram"]` of eight
environments; OCAtari's own class would be a single environment of ALE. The player follows the ball.
"""

from __future__ import annotations

import argparse
from typing import Any

import envpool
import numpy as np
import ocatari.ram.pong  # type: ignore[import-not-found,unused-ignore]  # noqa: F401  # its reader
from ocatari.ram import extract_ram_info  # type: ignore[import-not-found,unused-ignore]

NUM_ENVS = 8
STAY, UP, DOWN = 0, 2, 3


def main() -> None:
    """Plays; prints the points, and how often an object's color is at its place on the screen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=500)
    steps = parser.parse_args().steps
    objects = [extract_ram_info.init_objects("Pong", False) for _ in range(NUM_ENVS)]
    points, hits = np.zeros(NUM_ENVS), []
    with envpool.make("Pong-v5", num_envs=NUM_ENVS, obs_type="rgb", max_pool=False) as pool:
        obs, info = pool.reset(seed=0)
        for _ in range(steps):
            for seen, ram in zip(objects, info["ram"], strict=True):
                extract_ram_info.detect_objects_ram(seen, ram, "Pong", False)
            obs, reward, _, _, info = pool.step(np.array([follow(seen) for seen in objects]))
            points += reward
        for seen, ram, screen in zip(objects, info["ram"], obs, strict=True):
            extract_ram_info.detect_objects_ram(seen, ram, "Pong", False)
            hits += [shown(one, screen) for one in seen if one]
    print("points of each environment:", *points.astype(int))
    print(f"objects that the screen shows where they were read: {sum(hits)} of {len(hits)}")
    if sum(hits) < len(hits):
        raise SystemExit("other bytes than OCAtari's game has them in, or colours")


def follow(objects: list[Any]) -> int:
    """The action that brings the player's middle to the ball's."""
    by_name = {one.category: one for one in objects if one}
    if not {"Player", "Ball"} <= set(by_name):
        return STAY
    distance = by_name["Ball"].center[1] - by_name["Player"].center[1]
    return STAY if abs(distance) < 4 else DOWN if distance > 0 else UP


def shown(one: Any, screen: Any) -> bool:
    """Whether the color of an object is somewhere in its box."""
    x, y, width, height = (int(value) for value in one.xywh)
    box = screen[y : y + height, x : x + width].reshape(-1, 3)
    return bool((box == np.array(one.rgb)).all(axis=1).any())


if __name__ == "__main__":
    main()
