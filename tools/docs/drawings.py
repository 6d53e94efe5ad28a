# SPDX-License-Identifier: Apache-2.0
"""Drawings that follow the theme of the pages, which may differ from the system's theme.

A drawing may have a dark style in a media query. For each of these drawings two files are made, one
for each theme, and the page shows the matching file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.transforms.post_transforms.images import BaseImageConverter

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_NIGHT = re.compile(r"@media\s*\(prefers-color-scheme:\s*dark\)\s*\{((?:[^{}]*\{[^{}]*\})*)\s*\}")


def of_theme(drawing: str, dark: bool) -> str:
    """The drawing in the style of a theme."""
    return _NIGHT.sub(lambda match: match[1] if dark else "", drawing)


class TwoThemes(BaseImageConverter):
    """Replaces such a drawing by two images."""

    default_priority = 190  # before converters that look for formats

    def match(self, node: nodes.image) -> bool:
        """Whether the image is a drawing with a dark style."""
        path = Path(self.app.srcdir, node["uri"])
        if path.suffix != ".svg" or node.get("classes") or not path.exists():
            return False
        return _NIGHT.search(path.read_text(encoding="utf-8")) is not None

    def handle(self, node: nodes.image) -> None:
        """Replaces the image."""
        source = Path(self.app.srcdir, node["uri"])
        both = []
        for theme in ("light", "dark"):
            made = Path(self.imagedir, f"{source.stem}-{theme}.svg")
            made.parent.mkdir(parents=True, exist_ok=True)
            text = of_theme(source.read_text(encoding="utf-8"), theme == "dark")
            made.write_text(text, encoding="utf-8")
            image = nodes.image(**node.attributes)
            image["classes"] = [f"only-{theme}", "drawing"]
            image["uri"] = str(made)
            image["candidates"] = {"image/svg+xml": str(made)}
            self.env.images.add_file(self.env.docname, str(made))
            both.append(image)
        node.replace_self(both)


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the converter in Sphinx."""
    app.add_post_transform(TwoThemes)
    return {"parallel_read_safe": True}
