# SPDX-License-Identifier: Apache-2.0
"""Draws saved measurements on pages.

    ```{rows} envpool-classic/tests/fidelity.csv
    ```
    ```{speed} classic 0
    ```
    ```{fidelity-summary} maintainers/fidelity
    ```

The first has all rows of a file, the second a table of `tools/benchmark_page.py`. The third has a
row for each family whose `fidelity.csv` that page shows, named as the heading above.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from _fidelity import ROOT, compared, differences, totals
from _rows import Rows, markdown, read, table
from benchmark_page import path_of, text_of
from envpool_sphinx import Generated

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_TABLES = re.compile(r"^## (.+)$|^```\{rows\} (\S+/fidelity\.csv)$", re.MULTILINE)
_ROUNDING = ("mujoco", "numpy")  # packages that the references compute with


class SavedRows(Generated):
    """A table of all rows of a CSV file."""

    required_arguments = 1

    def markdown(self) -> Iterator[str]:
        """The lines."""
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        yield from markdown(read(path)).splitlines()


class Speed(Generated):
    """A table of a family's benchmark, or the date and the machine."""

    required_arguments = 1
    final_argument_whitespace = True

    def markdown(self) -> Iterator[str]:
        """The lines."""
        self.env.note_dependency(str(path_of(self.arguments[0].split()[0])))
        yield from text_of(self.arguments[0]).splitlines()


class FidelitySummary(Generated):
    """A row for each family."""

    required_arguments = 1

    def markdown(self) -> Iterator[str]:
        """The lines."""
        page = f"{self.arguments[0]}.md"
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        self.env.note_dependency(str(ROOT / "docs" / page))
        cells, heading = [], ""
        for title, name in _TABLES.findall(text):
            heading = title or heading
            if name:
                self.env.note_dependency(str(ROOT / name))
                rows = read(ROOT / name)
                link = f"[{heading}]({page}#{heading.lower().replace(' ', '-')})"
                versions = _versions(Path(name).parts[0], rows)
                figures = (str(len(rows)), totals(rows), compared(rows), differences(rows))
                cells.append((link, versions, *figures))
        columns = ("family", "reference", "tasks and options", "amount", "arrays", "differences")
        yield from table(columns, cells, 6).splitlines()


def _versions(wheel: str, rows: Rows) -> str:
    """The references of the rows, and the versions of packages that round their numbers."""
    references = [row["reference"].split(",")[0] for row in rows]
    findings = importlib.import_module(f"{wheel.replace('-', '_')}._findings")
    rounding = [f"{p.package} {p.versions[0]}" for p in findings.COMPARED if p.package in _ROUNDING]
    return ", ".join(dict.fromkeys([*references, *rounding]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directives."""
    app.add_directive("rows", SavedRows)
    app.add_directive("speed", Speed)
    app.add_directive("fidelity-summary", FidelitySummary)
    return {"parallel_read_safe": True}
