# SPDX-License-Identifier: Apache-2.0
"""Walks through galleries: the tasks and commands that this wheel adds to EnvPool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from envpool import Deprecation, Task, hookimpl

if TYPE_CHECKING:
    import typer

ASSETS = Path(__file__).parent / "assets"
prepared: list[Mapping[str, object]] = []
"""The options of every call of `prepare`, for the tests."""


def prepare(options: Mapping[str, object]) -> dict[str, object]:
    """Reads the palette; says where the floor plans are."""
    from . import _gallery

    prepared.append(options)
    _gallery.set_palette([int(n) for n in (ASSETS / "palette.txt").read_text().split()])
    return {"base_path": str(ASSETS)}


def cannot_prepare(_options: Mapping[str, object]) -> None:
    """What a wheel does that lacks one of its files; for the tests."""
    (ASSETS / "models" / "statue.obj").read_bytes()


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    docs = {"plan": "name of the floor plan, a file in the folder maps of base_path"}

    def task(task_id: str, **more: object) -> Task:
        return Task(
            task_id,
            "envpool_gallery._gallery:Walk",
            config_docs=docs,
            assets="envpool_gallery:prepare",
            assets_for="pools",
            pixels="envpool_gallery._gallery:WalkPixels",
            render_fps=8,
            **more,  # type: ignore[arg-type]
        )

    yield task("Gallery/Hall-v1", aliases=["Gallery/Hall"], max_episode_steps=60)
    yield task("Gallery/Closet-v0", plan="closet", max_episode_steps=20, reward_threshold=-2)
    yield task(
        "Gallery/ClosetPixels-v0",
        plan="closet",
        from_pixels=True,
        render_width=20,
        render_height=16,
        frame_stack=2,
        max_episode_steps=20,
    )
    yield task(
        "Gallery/Hall-v0",
        max_episode_steps=30,
        deprecated=Deprecation("0.3.0", use="Gallery/Hall-v1", since="0.1.0"),
    )


@hookimpl
def envpool_commands(app: typer.Typer) -> None:
    """`envpool gallery plans` and `envpool gallery show`."""
    import typer

    group = typer.Typer(help="Floor plans of the gallery.")

    @group.command()
    def plans() -> None:
        """List the floor plans."""
        for path in sorted(ASSETS.glob("maps/*.txt")):
            typer.echo(path.stem)

    @group.command()
    def show(plan: str) -> None:
        """Print a floor plan."""
        typer.echo((ASSETS / "maps" / f"{plan}.txt").read_text(), nl=False)

    app.add_typer(group, name="gallery")
