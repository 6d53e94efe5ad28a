# SPDX-License-Identifier: Apache-2.0
"""The commands `envpool nethack ...`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["add_commands"]


def add_commands(app: typer.Typer) -> None:
    """Adds the group `nethack`."""
    group = typer.Typer(help="The game of NetHack, and MiniHack.", no_args_is_help=True)
    app.add_typer(group, name="nethack")

    @group.callback()
    def _group() -> None:
        """The game of NetHack, and MiniHack."""

    @group.command("fetch")
    def fetch(
        again: Annotated[bool, typer.Option(help="Also if it is there already.")] = False,
        json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Brings the game into your cache, by one download of pip (3 MB)."""
        from envpool.cli import print_json, show

        from ._library import FILE

        library = str(FILE.fetch(again))
        if json:
            print_json({"library": library})
        else:
            show(f"The game is {library}.")

    @group.command("prepare")
    def prepare(
        json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Makes the levels of all tasks of MiniHack; brings the package minihack (3 MB) before."""
        from envpool.cli import print_json, show

        from . import _levels, _library, _minihack, _minihack_tasks
        from ._prepare import prepare_levels

        package = _minihack.bring()
        library = _library.FILE.find()
        _levels.data(package)
        files = {
            row.id: str(prepare_levels(row, library, _minihack_tasks.LEVELS).path)
            for row in _minihack_tasks.ROWS
        }
        if json:
            print_json({"package": str(package), "levels": files})
        else:
            show(f"The levels of {len(files)} tasks are in {_library.levels_cache()}.")
