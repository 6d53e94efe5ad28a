# SPDX-License-Identifier: Apache-2.0
"""`envpool render`: an image or a video of a task that takes random actions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from .._pools.make import make
from ..video import FORMATS, write
from ._output import count, print_json, progress, show
from ._tasks import AsJson, Settings, TaskId, find, parse

if TYPE_CHECKING:
    from ..video import Frame

# Steps of a video if the user gave no length.
_STEPS = 100
_SHOW_PROGRESS_AFTER = 1.0  # seconds before a progress bar is shown


def render(
    task_id: TaskId,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="File to write: .png, .gif or .mp4.")
    ],
    steps: Annotated[
        int | None,
        typer.Option(min=0, help="Steps to take: before a .png (0), or in a video (100)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the task and of the actions.")] = 0,
    width: Annotated[int, typer.Option(min=0, help="Pixels; 0: the task's own width.")] = 0,
    height: Annotated[int, typer.Option(min=0, help="Pixels; 0: the task's own height.")] = 0,
    camera_id: Annotated[int, typer.Option(min=-1, help="Camera; -1: the task's own.")] = -1,
    fps: Annotated[float, typer.Option(min=0.1, help="Frames per second of a video.")] = 30.0,
    settings: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Draw a task that takes random actions, into an image or a video."""
    if out.suffix not in FORMATS:
        raise typer.BadParameter(f"{out.name!r} ends in none of {FORMATS}", param_hint="--out")
    find(task_id)
    if steps is None:
        steps = 0 if out.suffix == ".png" else _STEPS
    config: dict[str, Any] = {
        **parse(settings),
        "render_mode": "rgb_array",
        "render_width": width,
        "render_height": height,
        "render_camera_id": camera_id,
        "seed": seed,
    }
    shape: list[tuple[int, ...]] = []
    with make(task_id, **config) as pool, progress() as bar:
        task = bar.add_task("drawing", total=steps + 1, visible=False)
        start = time.perf_counter()

        def frames() -> Iterator[Frame]:
            for frame in _frames(pool, steps, seed, video=out.suffix != ".png"):
                late = time.perf_counter() - start > _SHOW_PROGRESS_AFTER
                bar.update(task, advance=1, visible=late, refresh=late)
                shape[:] = [frame.shape]
                yield frame

        write(out, frames(), fps)
    frame_count = 1 if out.suffix == ".png" else steps + 1
    facts: dict[str, Any] = {
        "task": task_id,
        "file": str(out),
        "bytes": out.stat().st_size,
        "width": shape[0][1],
        "height": shape[0][0],
        "frames": frame_count,
    }
    if as_json:
        print_json(facts)
        return
    size = f"{facts['width']} x {facts['height']}, {facts['bytes'] / 1000:.3g} kB"
    text = Text(str(out), "bold green")
    show(text.append(f"  {count(frame_count, 'frame')} of {size}", "not bold default"))


def _frames(pool: Any, steps: int, seed: int, video: bool) -> Iterator[Frame]:
    """The frame after each step, or only after the last."""
    from ..testing import random_rows  # it imports Gymnasium and dm_env

    rng = np.random.default_rng(seed)
    info = pool.reset()[-1]
    for number in range(steps + 1):
        if number:
            players = len(info["players"]["env_id"])
            info = pool.step(random_rows(pool.spec, len(pool), players, rng))[-1]
        if video or number == steps:
            yield pool.render()[0]
