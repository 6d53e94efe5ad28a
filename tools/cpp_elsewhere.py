# SPDX-License-Identifier: Apache-2.0
"""The C++ tests on other systems than this: compiled for them by zig, and run where possible.

    python tools/cpp_elsewhere.py                                 # all systems
    python tools/cpp_elsewhere.py x86_64-windows-gnu aarch64-macos
    python tools/cpp_elsewhere.py --only games x86_64-windows-gnu

Programs for musl are static and run here, those for Windows under Wine, those for aarch64 under
qemu; for macOS they are only compiled and linked. Prints a table of docs/platforms.md.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from _zig import find_zig

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "out" / "cpp_elsewhere"
# How programs of a system are run; None: they cannot be.
SYSTEMS: dict[str, list[str] | None] = {
    "x86_64-linux-musl": [],
    "aarch64-linux-musl": ["qemu-aarch64"],
    "x86_64-windows-gnu": ["wine"],
    "aarch64-macos": None,
    "x86_64-macos": None,
}
# A test with one of these headers is of calls that only some systems have.
ONLY = {r"<linux/": "linux", r"<sys/wait\.h>": "linux|macos"}
LIBRARIES = {"x86_64-windows-gnu": ["-lapi-ms-win-core-synch-l1-2-0"]}
COMPILING = 1800  # seconds: the first program of a system waits for its C++ library
PATIENCE = 300  # seconds for one program: emulation is slow


def main() -> int:
    """Compiles and runs; a row for each system and family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="tests with this in their names")
    parser.add_argument("systems", nargs="*", help=f"of {', '.join(SYSTEMS)}; default: all")
    options = parser.parse_args()
    unknown = set(options.systems) - set(SYSTEMS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: it is one of {', '.join(SYSTEMS)}")
    failed = 0
    rows = []
    for system in options.systems or SYSTEMS:
        for family, sources in _tests(system, options.only).items():
            outcomes = [_test(source, system) for source in sources]
            failed += outcomes.count("failed")
            rows.append(f"| `{family}` | {system} | {_summary(outcomes)} |")
    print("| C++ tests of | system | programs |\n|---|---|---|\n" + "\n".join(rows))
    return 1 if failed else 0


def _tests(system: str, part: str) -> dict[str, list[Path]]:
    """The tests of each family that a system can have."""
    found: dict[str, list[Path]] = {}
    for source in sorted(ROOT.glob("envpool-*/tests/cpp/*_test.cc")):
        text = source.read_text(encoding="utf-8")
        where = (kinds for header, kinds in ONLY.items() if re.search(f"#include {header}", text))
        if part in source.stem and all(re.search(kinds, system) for kinds in where):
            found.setdefault(source.parents[2].name, []).append(source)
    return found


def _test(source: Path, system: str) -> str:
    folder = WORK / system
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / (source.stem + (".exe" if "windows" in system else ""))
    # Without its own checks of undefined behaviour: those are for the session `sanitize`.
    command = [str(find_zig()), "c++", "-target", system, "-std=c++20"]
    command += ["-O1", "-s", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fno-sanitize=undefined"]
    command += [f"-I{ROOT / 'envpool-core/include'}", f"-I{source.parents[2] / 'cpp'}"]
    command += [str(source), "-o", str(program), *LIBRARIES.get(system, [])]
    if not _succeeds(command, COMPILING, f"{source.name} for {system}"):
        return "failed"
    runner = SYSTEMS[system]
    if runner is None or (runner and shutil.which(runner[0]) is None):
        return "compiled"
    return "passed" if _succeeds([*runner, str(program)], PATIENCE, program.name) else "failed"


def _succeeds(command: list[str], seconds: int, what: str) -> bool:
    environment = os.environ | {"WINEDEBUG": "-all"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        print(f"{what}: no end after {seconds} s", file=sys.stderr, flush=True)
        return False
    if done.returncode:
        print(f"{what}: {done.stdout}{done.stderr}", file=sys.stderr, flush=True)
    elif done.stdout:
        print(f"{what}:\n{done.stdout}", file=sys.stderr, flush=True)
    return done.returncode == 0


def _summary(outcomes: list[str]) -> str:
    kinds = ("passed", "compiled", "failed")
    return ", ".join(f"{outcomes.count(kind)} {kind}" for kind in kinds if kind in outcomes)


if __name__ == "__main__":
    sys.exit(main())
