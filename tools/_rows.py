# SPDX-License-Identifier: Apache-2.0
"""Rows of measurements in CSV files, which tools write and pages show: `{rows} tools/admitted.csv`.

write(path, merged(read(path), new, "task"))
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

Rows = Sequence[dict[str, str]]


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Rows) -> None:
    """Replaces the rows of a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def merged(
    old: Rows, new: Rows, *keys: str, order: Iterable[str] | None = None
) -> list[dict[str, str]]:
    """The old rows, with new rows in place of those that have the same key.

    Args:
        old: Rows of a file.
        new: The rows that replace them.
        keys: The columns that identify a row.
        order: The values of the first key in the order of the result; by default all, sorted.
    """
    rows = {tuple(row[key] for key in keys): row for row in [*old, *new]}
    if order is None:
        return [rows[key] for key in sorted(rows, key=lambda key: [cell.lower() for cell in key])]
    places = {value: place for place, value in enumerate(order)}
    chosen = [key for key in rows if key[0] in places]
    return [rows[key] for key in sorted(chosen, key=lambda key: places[key[0]])]


def columns(rows: Rows) -> list[str]:
    """The names of all columns."""
    return list(dict.fromkeys(name for row in rows for name in row))


def table(names: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown; all but the first `texts` columns are aligned to the right."""
    rule = ["---" if number < texts else "---:" for number in range(len(names))]
    lines = [f"| {' | '.join(cells)} |" for cells in (names, *rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


def markdown(rows: Rows) -> str:
    """The rows as a table of a page."""
    names = columns(rows)
    return table(names, [[row.get(name, "") for name in names] for row in rows], len(names))
