# SPDX-License-Identifier: Apache-2.0
"""Walks through galleries: the tasks and commands that this wheel adds to EnvPool."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from envpool import Deprecation, Prepared, Task, hookimpl, pixels

if TYPE_CHECKING:
    import typer

ASSETS = Path(__file__).parent / "assets"
prepared: list[tuple[str, Mapping[str, object], bool]] = []
"""The arguments of every call of `envpool_prepare`, for the tests."""
palettes: list[Path] = []
"""The files that the palette was read from, for the tests."""


_reading = threading.Lock()


def read_palette(path: Path) -> None:
    """Gives the colours of the floor plans to the compiled module, once in a process."""
    from . import _gallery

    with _reading:
        if path not in palettes:
            _gallery.set_palette([int(n) for n in path.read_text().split()])
            palettes.append(path)


@hookimpl
def envpool_prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Reads the palette; says where the floor plans are; frames as observations."""
    prepared.append((task.id, options, build))
    read_palette(ASSETS / "palette.txt")
    options = {"base_path": str(ASSETS), **options}
    return pixels.prepare(task, options, "envpool_gallery._gallery:WalkPixels")


@hookimpl
def envpool_tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    docs = {"plan": "name of the floor plan, a file in the folder maps of base_path"}

    def task(task_id: str, **more: object) -> Task:
        return Task(
            task_id,
            "envpool_gallery._gallery:Walk",
            config_docs=docs,
            options=pixels.options(),
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
