# SPDX-License-Identifier: Apache-2.0
"""The output of all commands: tables and JSON on stdout, complaints and progress on stderr."""

from __future__ import annotations

import codecs
import io
import json
import math
import sys
from typing import Any

import numpy as np
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

# Replacements of characters that a terminal lacks; "?" for all others.
_PLAIN = {"✓": "+", "✗": "x", "→": "->", "µ": "u", "·": "-", "…": "..."}

# Enough for any line: text for a file or a pipe is not broken or cut.
_NO_LIMIT = 10_000


def allow_other_encodings() -> None:
    """Replaces characters that the encoding of stdout or stderr lacks by plain ones.

    Without it a terminal that is not UTF-8 ends the program with a UnicodeEncodeError.
    """

    def plain(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        missing = error.object[error.start : error.end]
        return "".join(_PLAIN.get(character, "?") for character in missing), error.end

    codecs.register_error("envpool.plain", plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="envpool.plain")


def show(*things: RenderableType) -> None:
    """Prints on stdout; on a terminal, in color and broken to its width."""
    # Made anew for each call, since stdout may have been replaced.
    if sys.stdout.isatty():
        Console(highlight=False).print(*things, sep="\n")
        return
    console = Console(highlight=False, width=_NO_LIMIT)
    with console.capture() as capture:
        console.print(*things, sep="\n")
    # Tables fill the last column with blanks.
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def errors() -> Console:
    """The console on stderr, for everything except results."""
    return Console(stderr=True, highlight=False)


def complain(error: Exception) -> None:
    """Prints an error on stderr, as a message of this program."""
    errors().print(f"[red]envpool:[/] {escape(str(error))}", soft_wrap=True)


def print_json(value: object) -> None:
    """Prints JSON that every reader accepts: null for numbers that JSON lacks, as infinity."""
    print(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def count(number: int, noun: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def grid(*, indent: int = 2) -> Table:
    """A table without lines, moved to the right."""
    return Table(box=None, show_header=False, pad_edge=True, padding=(0, 1, 0, indent))


def progress() -> Progress:
    """A progress bar on a terminal, removed when it is done; `refresh` draws it."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=errors(),
        transient=True,
        auto_refresh=False,  # its thread would take CPU time from the measured code
        disable=not sys.stderr.isatty(),
    )
