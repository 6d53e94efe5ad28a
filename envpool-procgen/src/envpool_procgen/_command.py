# SPDX-License-Identifier: Apache-2.0
"""The commands `envpool procgen ...`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["add_commands"]


def add_commands(app: typer.Typer) -> None:
    """Adds the group `procgen`."""
    group = typer.Typer(help="Procgen's engine and images.", no_args_is_help=True)
    app.add_typer(group, name="procgen")

    @group.callback()
    def _group() -> None:
        """Procgen's engine and images."""

    @group.command("fetch")
    def fetch(
        system: Annotated[
            bool, typer.Option(help="Also install what it needs of Debian's packages, as root.")
        ] = False,
        again: Annotated[bool, typer.Option(help="Also if they are there already.")] = False,
        json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        """Brings them into your cache, by one download of pip (36 MB)."""
        from envpool.cli import print_json, show

        from . import _engine

        library = _engine.FILE.fetch(again)
        if system:
            _engine.install_libraries(library)
        missing = _engine.missing_libraries(library)
        command = _engine.install_command(missing) if missing else ""
        if json:
            print_json({"engine": str(library), "missing": missing, "install": command})
            return
        show(f"The engine is {library}.")
        if missing:
            show(f"It needs {', '.join(missing)}, which this system has not: run `{command}`.")
