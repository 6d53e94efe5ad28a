# SPDX-License-Identifier: Apache-2.0
"""The table of wheels: which family is built for which system and Python, and how it was tested.

    python tools/platforms.py dist dist/portable dist/musl
    python tools/platforms.py --record natively dist/portable/envpool_atari-*.whl

A record is of the bytes of a wheel: of one that was built again since, nothing is known.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

RECORDS = Path(__file__).resolve().parents[1] / "out" / "platforms.json"
# From what shows most to what shows least.
KINDS = ("natively", "natively, in part", "under emulation", "under emulation, in part")
BUILT = "built only"


def main() -> None:
    """Prints the table, or records a test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+", type=Path, help="wheels, or folders of them")
    parser.add_argument("--record", choices=KINDS, help="how these wheels were tested, and passed")
    options = parser.parse_args()
    records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    wheels = [
        wheel
        for path in options.paths
        for wheel in (sorted(path.glob("*.whl")) if path.is_dir() else [path])
    ]
    if options.record:
        for wheel in wheels:
            records.setdefault(_digest(wheel), []).append(options.record)
        RECORDS.parent.mkdir(exist_ok=True)
        RECORDS.write_text(json.dumps(records, indent=1))
    else:
        print(table(wheels, records))


def table(wheels: list[Path], records: dict[str, list[str]]) -> str:
    """A row for each family and system, a column for each Python."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for wheel in wheels:
        name, _, python, _, system = wheel.stem.split("-")
        known = records.get(_digest(wheel), [])
        best = next((f"tested {kind}" for kind in KINDS if kind in known), BUILT)
        row = cells.setdefault((name.replace("_", "-"), system.split(".")[-1]), {})
        row[python] = best
    pythons = sorted({python for row in cells.values() for python in row}, key=_order)
    lines = ["| family | system | " + " | ".join(map(_title, pythons)) + " |"]
    lines.append("|---|---|" + "---|" * len(pythons))
    for (name, system), row in sorted(cells.items()):
        states = " | ".join(row.get(python, "") for python in pythons)
        lines.append(f"| `{name}` | {system} | {states} |")
    return "\n".join(lines)


def _digest(wheel: Path) -> str:
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def _order(python: str) -> tuple[int, str]:
    return len(python), python


def _title(python: str) -> str:
    return f"{python[2]}.{python[3:]}" if python.startswith("cp") else "any Python 3"


if __name__ == "__main__":
    main()
