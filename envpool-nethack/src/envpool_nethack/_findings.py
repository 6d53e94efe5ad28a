# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about this family."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding
from envpool.errors import EnvPoolError

from . import _library

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared(
        "nle",
        ("1.3.0",),
        "its rules may differ from these",
        # nle requires gymnasium==1.2.0, which nothing here needs.
        "pip install --no-deps nle==1.3.0",
    ),
    Compared(
        "minihack",
        ("1.0.2",),
        "its rules or levels may differ from these",
        "pip install --no-deps minihack==1.0.2",
    ),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """Reports the library, its loader, whether a game can be made, and the references."""
    yield from COMPARED
    try:
        library = _library.FILE.find()
        _library.check(library)
    except EnvPoolError as error:
        yield Finding("game", error.got, "missing", f"run `{_library.FILE.command}`")
        return
    yield Finding("game", str(library))
    yield _plays(str(library))


def _plays(library: str) -> Finding:
    """Makes a game, in a separate process: a damaged library may crash."""
    import subprocess
    import sys

    program = (
        "import sys, envpool, envpool_nethack._nethack as n\n"
        "with envpool.make('NetHackScore-v0', library_path=sys.argv[1]) as pool: pool.reset()\n"
        "print(n.problem_of_own_loader(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, library],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode != 0:
        text = (done.stderr.strip().splitlines() or ["no message"])[-1]
        fix = f"run `{_library.FILE.command}`"
        return Finding("games", f"none can be made: {text}", "problem", fix)
    if problem := done.stdout.strip():
        return Finding(
            "games",
            f"played by copies of the library, as {problem}: a crash ends the process, "
            "the clock is the machine's, and there are no saved states",
            "warning",
            f"use the library that `{_library.FILE.command}` brings",
        )
    return Finding("games", "can be made")
