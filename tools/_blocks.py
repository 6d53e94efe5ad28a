# SPDX-License-Identifier: Apache-2.0
"""Writes a tool's measurements between two marks of a Markdown page.

<!-- cartpole 0:begin -->
<!-- cartpole 0:end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

_BLOCK = re.compile(
    r"(<!-- (?P<name>[^:>]+):begin -->\n)(?P<text>.*?)(<!-- (?P=name):end -->)", re.DOTALL
)


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown; all but the first `texts` columns are aligned to the right."""
    rule = ["---" if number < texts else "---:" for number in range(len(columns))]
    lines = [f"| {' | '.join(cells)} |" for cells in (columns, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def fill(page: Path, text_of: Callable[[str, str], str | None]) -> list[str]:
    """Replaces the text between the marks of a page.

    Args:
        page: A Markdown file.
        text_of: Returns the text of a block: called with its name and its present text; None leaves
            it unchanged.

    Returns:
        The names of the blocks that were replaced.
    """
    filled = []

    def replaced(match: re.Match[str]) -> str:
        text = text_of(match["name"], match["text"])
        if text is None:
            return match[0]
        filled.append(match["name"])
        return f"{match[1]}{text}\n{match[4]}"

    page.write_text(_BLOCK.sub(replaced, page.read_text(encoding="utf-8")), encoding="utf-8")
    return filled
