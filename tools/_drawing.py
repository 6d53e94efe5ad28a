# SPDX-License-Identifier: Apache-2.0
"""The frame of a drawing of docs/, in the style of the drawings made by hand.

    Path("docs/images/x.svg").write_text(svg("What it shows", 300, ['<path class="a" d="..."/>']))

Classes of elements: `a` is ours, `n` is a peer, `m` is text of less weight, `l` is a thin line.
"""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 760
_FONTS = "system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif"
_COLORS = {  # element: property, by day, by night
    ".bg": ("fill", "#ffffff", "#0f1720"),
    ".bg ": ("stroke", "#d0d7de", "#30363d"),
    "text": ("fill", "#1f2328", "#e6edf3"),
    ".m": ("fill", "#59636e", "#9aa5b1"),
    ".l": ("stroke", "#d0d7de", "#30363d"),
    "rect.a": ("fill", "#3b8fd6", "#58a6ff"),
    "rect.n": ("fill", "#b6bec7", "#545d68"),
    "path.a": ("stroke", "#3b8fd6", "#58a6ff"),
    "path.n": ("stroke", "#b6bec7", "#545d68"),
}


def svg(title: str, height: int, parts: Sequence[str]) -> str:
    """The whole drawing, `WIDTH` units wide.

    Args:
        title: Its description, for screen readers.
        height: In units.
        parts: Its elements.
    """
    day, night = (
        "".join(f"{name.strip()}{{{row[0]}:{row[column]}}}" for name, row in _COLORS.items())
        for column in (1, 2)
    )
    lines = "path{fill:none}path.a{stroke-width:1.5}path.n{stroke-width:6}"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" font-family="{_FONTS}" font-size="13">',
            f"<title>{title}</title>",
            f"<style>{day}{lines}@media(prefers-color-scheme:dark){{{night}}}</style>",
            f'<rect class="bg" width="{WIDTH}" height="{height}" rx="8"/>',
            *parts,
            "</svg>\n",
        )
    )
