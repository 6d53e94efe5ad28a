# SPDX-License-Identifier: Apache-2.0
"""Prints a family's fidelity table: how far every task is from its reference, measured now.

    python tools/fidelity.py envpool-classic

The family's tests do the playing: `tests/references.py` has `CASES` and `tests/alignment.py` has
`align(case, episodes)`. The wheel must be installed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path


def main() -> None:
    """Prints one Markdown row per task."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheel", help="the wheel's folder, as envpool-classic")
    parser.add_argument("--episodes", type=int, help="per task; by default as many as in the tests")
    parser.add_argument("--only", default="", help="tasks whose id contains this")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / options.wheel / "tests"))
    align = importlib.import_module("alignment").align
    cases = importlib.import_module("references").CASES

    print("| task | reference | episodes | steps | observation | reward |")
    print("|---|---|---:|---:|---:|---:|")
    for case in cases:
        if options.only not in str(case):
            continue
        result = align(case, options.episodes or case.episodes)
        differences = " | ".join(
            "equal" if d == 0 else f"{d:.2g}" for d in (result.observation, result.reward)
        )
        print(
            f"| {case} | {case.reference} | {result.episodes} | {result.steps} | {differences} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
