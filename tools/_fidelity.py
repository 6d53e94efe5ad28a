# SPDX-License-Identifier: Apache-2.0
"""The saved results of fidelity runs: envpool-X/tests/fidelity.csv, a row for each task.

`tools/fidelity.py` writes the files, and the pages show them. The first two columns are the task
and its reference. Each other column has a count, or the result for an array: "equal", or the
difference.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from _rows import Rows, columns

ROOT = Path(__file__).resolve().parents[1]
_TOTALS = ("levels", "modes x difficulties", "steps", "frames")
_COUNT = re.compile(r"[\d,]+( x [\d,]+)*")
_EQUAL = re.compile(r"|none|0|(.* )?equal|.* 0 bytes differ")
_WITHIN = re.compile(r"(.*within) (\S+)")


def path_of(wheel: str) -> Path:
    """The file of a family."""
    return ROOT / wheel / "tests" / "fidelity.csv"


def totals(rows: Rows) -> str:
    """The sums of the counts: "2,000 steps"."""
    sums = ((name, sum(map(_number, _cells(rows, name)))) for name in _TOTALS)
    return ", ".join(f"{number:,} {name}" for name, number in sums if number)


def compared(rows: Rows) -> str:
    """The names of the compared arrays: "observation, reward"."""
    arrays = (
        name
        for name in columns(rows)[2:]
        if name == "differences"
        or not all(cell == "none" or _COUNT.fullmatch(cell) for cell in _cells(rows, name))
    )
    return ", ".join("all numbers" if name == "differences" else name for name in arrays)


def differences(rows: Rows) -> str:
    """The differences, with their largest values and numbers of rows; "none" if all is equal."""
    sizes: dict[str, list[float]] = {}
    for row in rows:
        for name, cell in list(row.items())[2:]:
            counts = name != "differences" and _COUNT.fullmatch(cell)
            if not counts and not _EQUAL.fullmatch(cell):
                within = _WITHIN.fullmatch(cell)
                text, size = (within[1], float(within[2])) if within else (f"{name} {cell}", 0.0)
                sizes.setdefault(text, []).append(size)
    texts = (
        f"{text} {max(found):.1g} in {len(found)} rows" if max(found) else f"{text} in {len(found)}"
        for text, found in sizes.items()
    )
    return "; ".join(texts) or "none"


def _cells(rows: Rows, name: str) -> list[str]:
    return [cell for row in rows if (cell := row.get(name, ""))]


def _number(cell: str) -> int:
    """The count that a cell begins with: of "3 x 1,000", or of "804, equal"; else 0."""
    match = _COUNT.match(cell)
    factors = match[0].replace(",", "").split(" x ") if match else ["0"]
    return math.prod(map(int, factors))
