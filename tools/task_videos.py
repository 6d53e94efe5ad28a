# SPDX-License-Identifier: Apache-2.0
"""Videos of tasks for the pages, a few seconds of each, as animated WebP.

    python tools/task_videos.py                 # all tasks of all families
    python tools/task_videos.py Pong-v5 '*-v1'  # some

They go to docs/images/environments/<family>/<task>.webp. Actions are random and held for a few
steps, always in the same way. Needs every family with its games and models, OpenGL, and Pillow.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import envpool
import numpy as np
from _environments import environments, video_of
from envpool.testing import random_rows
from PIL import Image

IMAGES = 30  # of a video
FPS = 12  # at most; faster tasks show every other image, or fewer
TURNS = 4  # steps per second of turn-based tasks


class Style(NamedTuple):
    """The style of a family's videos.

    Attributes:
        options: The pool's.
        width: Pixels.
        height: Pixels.
        hold: Seconds for which an action is held.
        skip: Seconds after the begin of an episode that are not shown.
        quality: 100 keeps every pixel; less is smaller, for images with shadows and textures.
        upside_down: Whether the camera is upside down, and images are turned.
        trimmed: Whether black borders are removed.
    """

    options: dict[str, Any]
    width: int
    height: int
    hold: float = 0.2
    skip: float = 0.0
    quality: int = 100
    upside_down: bool = False
    trimmed: bool = False


STYLES = {
    "atari": Style({"obs_type": "ram"}, 160, 210, skip=5),
    "box2d": Style({}, 240, 160, hold=0.3, quality=60),
    "classic": Style({}, 240, 240),
    "gfootball": Style({}, 300, 210, quality=60),
    "highway": Style({}, 240, 240, quality=60),
    "minigrid": Style({"tile_size": 12}, 240, 240),
    "mujoco": Style({"render_width": 480, "render_height": 360}, 240, 180, quality=55),
    "myosuite": Style(
        {"render_width": 480, "render_height": 480, "render_quality": "fast"},
        *(240, 240),
        quality=55,
    ),
    "nethack": Style({}, 480, 320, trimmed=True),
    "procgen": Style({"render_width": 192}, 192, 192, hold=0.4, quality=70),
    "metaworld": Style(
        {"render_width": 480, "render_height": 360, "camera_name": "corner2"},
        *(240, 180),
        quality=55,
        upside_down=True,
    ),
    "robotics": Style({"render_width": 480, "render_height": 360}, 240, 180, quality=55),
    "vizdoom": Style({"render_resolution": "640x480"}, 240, 180, hold=0.5, skip=0.4, quality=50),
    "python": Style({}, 240, 160, hold=0.3, skip=0.5, quality=60),
}
QUALITIES = {"DmcRodent*": 15}  # for tasks with a lawn everywhere
# Tasks whose maps or pictures are in no package.
NO_VIDEO = ("D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1", "MiniGrid-WFC-*")


def recorded(task: envpool.Task, style: Style) -> tuple[list[Image.Image], float]:
    """The images of a task, and their number per second."""
    rng = np.random.default_rng(3)
    every = max(1, round(task.render_fps / FPS))
    hold = max(1, round(style.hold * task.render_fps)) if task.render_fps > TURNS else 1
    images = []
    with _pool(task, style) as pool:
        pool.reset()
        first = round(style.skip * task.render_fps)
        action: Any = None
        for step in range(first + IMAGES * every):
            if step >= first and (step - first) % every == 0:
                images.append(_fitted(pool.render()[0], style))
            if step % hold == 0:
                action = random_rows(pool.spec, 1, pool.config["max_num_players"], rng)
                if np.asarray(action).dtype.kind == "f":
                    action = np.clip(action, -1, 1)
                if style is STYLES["vizdoom"]:
                    action = rng.integers(0, 2, action.shape).astype(np.float64)
            pool.step(action)
    return images, task.render_fps / every


def start_of(task: envpool.Task, style: Style) -> Image.Image:
    """A picture of the start of an episode."""
    with _pool(task, style) as pool:
        pool.reset()
        return _fitted(pool.render()[0], style)


def _pool(task: envpool.Task, style: Style) -> Any:
    options = dict(style.options)
    if task.env.endswith(":DmControl"):
        # The free camera of the suite is where the model says; its first one follows the robot.
        options["render_camera_id"] = -1 if task.id.startswith("Lqr") else 0
    if task.id.startswith("Dmc"):
        # A walker is seen from the side, a player of soccer from behind.
        options["render_camera_id"] = 1 if "Bowl" in task.id else 4 if "Soccer" in task.id else 2
    with tempfile.TemporaryDirectory() as folder:
        if task.env.endswith(":AntMaze"):
            options["xml_file"] = str(_ant_seen_from_above(task, Path(folder)))
            options["render_camera_id"] = 0
        return envpool.make(task.id, num_envs=1, seed=4, render_mode="rgb_array", **options)


def _ant_seen_from_above(task: envpool.Task, folder: Path) -> Path:
    """Writes Gymnasium's ant with an additional first camera, which shows the whole maze."""
    import gymnasium

    rows: Any = envpool.make_spec(task.id).env_options["map_rows"]
    size = 4 * max(len(rows), 0.75 * len(rows[0]))  # metres: cells of 4 m, images of 4:3
    back, up = 0.58 * size, 1.2 * size
    look = f"1 0 0 0 {up / math.hypot(back, up)} {back / math.hypot(back, up)}"
    tree = ET.parse(Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "ant.xml")
    world = tree.find("worldbody")
    assert world is not None
    world.insert(0, ET.Element("camera", name="outside", pos=f"0 {-back} {up}", xyaxes=look))
    path = folder / "ant.xml"
    tree.write(path)
    return path


def _fitted(frame: Any, style: Style) -> Image.Image:
    image = Image.fromarray(frame)
    if style.upside_down:
        image = image.transpose(Image.Transpose.ROTATE_180)
    if style.trimmed:
        image = image.crop(image.getbbox())
    scale = min(style.width / image.width, style.height / image.height)
    if scale == 1:
        return image
    size = round(image.width * scale), round(image.height * scale)
    return image.resize(size, Image.Resampling.BOX)


def _quality(task: envpool.Task, style: Style) -> int:
    own = (quality for name, quality in QUALITIES.items() if fnmatch.fnmatch(task.id, name))
    return next(own, style.quality)


def main() -> None:
    """Writes the videos, and prints how large they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("patterns", nargs="*", default=["*"], help="of task ids")
    patterns = parser.parse_args().patterns
    total = count = 0
    for family, style in STYLES.items():
        for task in environments(family):
            chosen = any(fnmatch.fnmatch(task.id, pattern) for pattern in patterns)
            if not chosen or any(fnmatch.fnmatch(task.id, pattern) for pattern in NO_VIDEO):
                continue
            images, fps = recorded(task, style)
            out: Path = video_of(family, task)
            out.parent.mkdir(parents=True, exist_ok=True)
            quality = _quality(task, style)
            images[0].save(
                out,
                save_all=True,
                append_images=images[1:],
                duration=round(1000 / fps),
                loop=0,
                lossless=quality == 100,
                quality=quality,
                method=6,
                minimize_size=quality == 100,
            )
            total, count = total + out.stat().st_size, count + 1
            print(f"{out.name}: {len(images)} images, {out.stat().st_size / 1000:.0f} kB")
    print(f"{count} videos, {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
