# SPDX-License-Identifier: Apache-2.0
"""The commands `envpool nethack ...`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["add_commands"]


def add_commands(app: typer.Typer) -> None:
    """Adds the group `nethack`."""
    group = typer.Typer(help="The game of NetHack.", no_args_is_help=True)
    app.add_typer(group, name="nethack")

    @group.callback()
    def _group() -> None:
        """The game of NetHack."""

    @group.command("fetch")
    def fetch(
        again: Annotated[bool, typer.Option(help="Also if it is there already.")] = False,
        json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Brings it into your cache, by one download of pip (3 MB)."""
        from envpool.cli import print_json, show

        from ._fetch import fetch

        library = str(fetch(again))
        if json:
            print_json({"library": library})
        else:
            show(f"The game is {library}.")
