# SPDX-License-Identifier: Apache-2.0
"""A chart of what `envpool bench` has measured: bars in an SVG, or a PNG by Matplotlib."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import MissingPackageError, RenderError

FORMATS = (".svg", ".png")
"""How the name of the file may end."""
_COLOURS = ("#2a7de1", "#9aa4b2")
_BAR, _GAP, _LEFT, _WIDTH, _RIGHT = 18, 14, 230, 420, 90  # pixels


class Bar(NamedTuple):
    """A bar: its group, what it is of, how long it is, and what stands at its end."""

    group: str
    name: str
    value: float
    text: str


def check_chart(path: Path) -> None:
    """Finds out whether a chart can be written, before there is one.

    Raises:
        MissingPackageError: If it is a .png, and Matplotlib is not installed.
        RenderError: If its folder is not there.
    """
    if path.suffix == ".png":
        _matplotlib(path)
    if not path.absolute().parent.is_dir():
        raise RenderError(
            f"bench --out {path}",
            f"no folder {str(path.parent)!r}",
            "a file in a folder that is there",
            "Make the folder, or name another file",
        )


def write_chart(path: Path, title: str, bars: Sequence[Bar]) -> None:
    """Writes the bars into a file of the kind that its name says.

    Args:
        path: Ends in one of FORMATS.
        title: What stands above.
        bars: Those of one group follow each other.

    Raises:
        MissingPackageError: If it is a .png, and Matplotlib is not installed.
        OSError: If the file cannot be written.
    """
    if path.suffix == ".svg":
        path.write_text(_svg(title, bars), encoding="utf-8")
    else:
        _write_png(path, title, bars)


def _svg(title: str, bars: Sequence[Bar]) -> str:
    longest = max(bar.value for bar in bars)
    names = [*dict.fromkeys(bar.name for bar in bars)]
    parts: list[str] = []
    y, group = 44, ""
    for bar in bars:
        if bar.group != group:
            y += _GAP
            group = bar.group
            parts.append(_text(10, y + 13, group, "font-weight='600'"))
        width = max(1, round(_WIDTH * bar.value / longest))
        colour = _COLOURS[min(names.index(bar.name), len(_COLOURS) - 1)]
        label = _text(_LEFT - 8, y + 13, bar.name, "text-anchor='end' opacity='0.7'")
        parts.append(label)
        parts.append(
            f"<rect x='{_LEFT}' y='{y}' width='{width}' height='{_BAR}' rx='2' fill='{colour}'/>"
        )
        parts.append(_text(_LEFT + width + 6, y + 13, bar.text))
        y += _BAR + 3
    size = f"{_LEFT + _WIDTH + _RIGHT} {y + 16}"
    # The colour of the text is that of the page it is on, light or dark.
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {size}' "
        "font-family='system-ui, sans-serif' font-size='13' fill='currentColor'>\n"
        "<style>svg{color:#1c2128}@media(prefers-color-scheme:dark){svg{color:#d6dbe1}}</style>\n"
        + "\n".join([_text(10, 24, title, "font-size='15'"), *parts])
        + "\n</svg>\n"
    )


def _text(x: int, y: int, text: str, style: str = "") -> str:
    return f"<text x='{x}' y='{y}' {style}>{escape(text)}</text>"


def _write_png(path: Path, title: str, bars: Sequence[Bar]) -> None:
    figures = _matplotlib(path)
    figure = figures.Figure(figsize=(8, 1 + 0.35 * len(bars)), layout="constrained")
    axes = figure.subplots()
    names = [*dict.fromkeys(bar.name for bar in bars)]
    colours = [_COLOURS[min(names.index(bar.name), len(_COLOURS) - 1)] for bar in bars]
    drawn = axes.barh(range(len(bars)), [bar.value for bar in bars], color=colours)
    axes.bar_label(drawn, [f" {bar.text}" for bar in bars])
    axes.set_yticks(range(len(bars)), [f"{bar.group}  {bar.name}" for bar in bars])
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.set_title(title, loc="left")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    figure.savefig(path, dpi=150)


def _matplotlib(path: Path) -> Any:
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
        matplotlib.use("agg")
        return importlib.import_module("matplotlib.figure")
    except ImportError as cause:
        raise MissingPackageError(
            f"bench --out {path.name}",
            f"no Matplotlib ({cause})",
            "a Python that has Matplotlib, or a .svg, which needs nothing",
            'Run `pip install "envpool-core[chart]"`',
        ) from cause
