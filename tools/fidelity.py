# SPDX-License-Identifier: Apache-2.0
"""Prints a family's fidelity table: the difference of every task from its reference, measured now.

    python tools/fidelity.py envpool-classic
    python tools/fidelity.py envpool-atari --jobs 2 --save
    python tools/fidelity.py envpool-robotics --avx512

The family's tests play: `tests/references.py` has `CASES` and `tests/alignment.py` has `align(case,
amount)`. The unit of the amount is the module's `UNIT`, by default the case's own. The result of
`align` has `columns()`, as a `Comparison` of `envpool.testing.fidelity`. The wheel must be
installed, and references and engines of the versions in `_findings.COMPARED` of the family: other
versions are refused, with the message of `envpool doctor`. With `--save` the rows also replace
those of the same tasks in `tests/fidelity.csv` of the family, which the pages show.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _fidelity import path_of
from _rows import markdown, merged, read, write


def main() -> None:
    """Prints a Markdown row per task."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheel", help="the wheel's folder, as envpool-classic")
    parser.add_argument(
        "--amount",
        "--episodes",
        "--frames",
        type=int,
        help="episodes or frames of each task; by default as many as the family thinks enough",
    )
    parser.add_argument("--only", default="", help="tasks whose id has a match of this expression")
    parser.add_argument("--jobs", type=int, default=1, help="tasks played at the same time")
    parser.add_argument("--save", action="store_true", help="replace the family's saved rows")
    parser.add_argument(
        "--avx512",
        action="store_true",
        help="NumPy rounds as on this CPU, which has AVX-512; prints the tasks that differ only",
    )
    options = parser.parse_args()
    if options.avx512:
        if "avx512f" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            sys.exit("this CPU has no AVX-512: NumPy rounds as in the comparison without --avx512")
        os.environ["ENVPOOL_TEST_AVX512"] = "1"
    importlib.import_module("numpy_rounding")  # before NumPy
    if problems := unlike_versions(options.wheel):
        sys.exit("\n".join(problems))
    tests = str(Path(__file__).parents[1] / options.wheel / "tests")
    sys.path.insert(0, tests)
    cases = [
        (index, case)
        for index, case in enumerate(importlib.import_module("references").CASES)
        if re.search(options.only, str(case))
    ]
    indices = [index for index, _ in cases]
    rows = _rows(tests, indices, options.amount, options.jobs)
    found: list[dict[str, str]] = []
    for (_, case), columns in zip(cases, rows, strict=True):
        # The family's page has the same "within" of that task without AVX-512.
        if options.avx512 and not any("differ" in text for text in columns.values()):
            continue
        found.append({"task": str(case), "reference": case.reference} | columns)
        lines = markdown(found[-1:]).splitlines()
        print("\n".join(lines if len(found) == 1 else lines[2:]), flush=True)
    if options.avx512:
        print(f"{len(found)} of {len(cases)} tasks differ")
    elif options.save:
        path = path_of(options.wheel)
        order = [str(case) for case in importlib.import_module("references").CASES]
        write(path, merged(read(path) if path.exists() else [], found, "task", order=order))


def unlike_versions(wheel: str) -> list[str]:
    """A line for each package whose installed version is not one of the comparison."""
    findings = importlib.import_module(f"{wheel.replace('-', '_')}._findings")
    return [
        f"{one.package}: {sentence}\n  run `{one.remedy()}`, or change COMPARED of the family, "
        "which pages and `envpool doctor` repeat"
        for one in findings.COMPARED
        if (sentence := one.unlike())
    ]


def _rows(
    tests: str, indices: list[int], amount: int | None, jobs: int
) -> Iterator[dict[str, str]]:
    if jobs == 1:
        yield from (_row(tests, index, amount) for index in indices)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_row, [tests] * len(indices), indices, [amount] * len(indices))


def _row(tests: str, index: int, amount: int | None) -> dict[str, str]:
    """The columns of a task; also runs in a new process."""
    if tests not in sys.path:
        sys.path.insert(0, tests)
    alignment = importlib.import_module("alignment")
    case = importlib.import_module("references").CASES[index]
    result = alignment.align(case, amount or getattr(case, getattr(alignment, "UNIT", "episodes")))
    columns: dict[str, str] = result.columns()
    return columns


if __name__ == "__main__":
    main()
