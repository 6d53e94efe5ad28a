# SPDX-License-Identifier: Apache-2.0
"""`envpool meadow-match`: a hunt between two policies; prints a line and draws a video."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .policies import Policy

_FPS = 10


class Fox(str, enum.Enum):
    """The policies of foxes."""

    HUNT = "hunt"
    RANDOM = "random"


class Hare(str, enum.Enum):
    """The policies of hares."""

    FLEE = "flee"
    RANDOM = "random"


def match(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.gif", help="Video to write.")
    ] = None,
    task: Annotated[str, typer.Option(help="A task of this family.")] = "Meadow/Tag-v0",
    foxes: Annotated[Fox, typer.Option(help="How foxes play.")] = Fox.HUNT,
    hares: Annotated[Hare, typer.Option(help="How hares play.")] = Hare.FLEE,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the meadow and of random play.")] = 0,
    width: Annotated[int, typer.Option(min=16, help="Pixels of the video.")] = 480,
    show_lidar: Annotated[int, typer.Option(help="Player whose rays are drawn; -1: none.")] = -1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Play one hunt of foxes and hares, and write it as a GIF."""
    from .policies import by_kind, flee, hunt, random_policy

    if out is not None and out.suffix != ".gif":
        raise typer.BadParameter(f"{out.name!r} does not end in .gif", param_hint="--out")
    fox = hunt if foxes is Fox.HUNT else random_policy(seed)
    hare = flee if hares is Hare.FLEE else random_policy(seed + 1)
    options = {"seed": seed, "render_width": width, "show_lidar": show_lidar}
    facts, frames = play(task, by_kind(fox, hare), options, draw=out is not None)
    if out is not None:
        write_gif(out, frames)
        facts |= {"file": str(out), "frames": len(frames)}
    if as_json:
        print(json.dumps(facts))
        return
    print(
        f"{task}: {facts['caught']} of {facts['hares']} hares caught in {facts['seconds']:g} s, "
        f"{facts['clovers']} clovers eaten" + (f"; see {out}" if out is not None else "")
    )


def play(
    task: str, policy: Policy, options: dict[str, Any], draw: bool
) -> tuple[dict[str, Any], list[NDArray[np.uint8]]]:
    """Plays one episode.

    Args:
        task: A task of this family.
        policy: The policy of all players.
        options: The pool's.
        draw: Whether to draw.

    Returns:
        The events, and the frames, uint8 (height, width, 3).
    """
    import envpool

    frames: list[NDArray[np.uint8]] = []
    with envpool.make(
        task, num_envs=1, render_mode="rgb_array" if draw else None, **options
    ) as pool:
        obs, info = pool.reset()
        over = False
        while not over:
            if draw:
                frames.append(pool.render()[0])
            obs, _, terminated, truncated, info = pool.step(policy(obs["players"]))
            over = bool(terminated[0] or truncated[0])
        if draw:
            frames.append(pool.render()[0])
        hares = pool.config["num_hares"]
        facts = {
            "task": task,
            "hares": hares,
            "caught": hares - int(info["hares"]["left"][0]),
            "clovers": int(info["hares"]["clovers"][0]),
            "seconds": int(info["elapsed_step"][0]) / _FPS,
        }
    return facts, frames


def write_gif(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    """Writes an endlessly repeated video, all frames in the colors of the first."""
    from PIL import Image

    # Median cut, the usual choice, spends its colors on grass and has no color for a fox.
    octree, plain = Image.Quantize.FASTOCTREE, Image.Dither.NONE
    first = Image.fromarray(frames[0]).quantize(128, method=octree, dither=plain)
    rest = (Image.fromarray(frame).quantize(palette=first, dither=plain) for frame in frames[1:])
    first.save(path, save_all=True, append_images=rest, duration=1000 // _FPS, loop=0)


def add_commands(app: typer.Typer) -> None:
    """Adds `envpool meadow-match`."""
    app.command("meadow-match")(match)
