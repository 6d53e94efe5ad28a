# SPDX-License-Identifier: Apache-2.0
"""Counts the files and lines that `envpool new-plugin` writes, for the table in README.md.

    python tools/count_template.py [--check]

All lines count, empty ones and comments too, but those of the new package's own README. With
`--check` the exit status is 1 if there are more than the limits allow.
"""

from __future__ import annotations

import argparse
import sys

from envpool.cli.new_plugin import render, values_for

MAX_FILES = 6
MAX_LINES = 100


def main() -> int:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="fail if there is too much")
    check: bool = parser.parse_args().check
    texts = render(values_for("sample"))
    lines = {path: len(text.splitlines()) for path, text in texts.items() if path != "README.md"}
    total = sum(lines.values())
    print("| file of a new family | lines |\n|---|---:|")
    for path, count in lines.items():
        print(f"| `{path}` | {count} |")
    print(f"| {len(lines)} files | {total} |")
    return 1 if check and (len(lines) > MAX_FILES or total > MAX_LINES) else 0


if __name__ == "__main__":
    sys.exit(main())
