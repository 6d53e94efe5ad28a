# SPDX-License-Identifier: Apache-2.0
"""The engines of a process, as the system shows them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

TIMEOUT = 60
"""Seconds until a test gives up waiting."""


def engines(parent: int | None = None) -> list[int]:
    """The running engines of this process (or of `parent`), by process id."""
    parent = os.getpid() if parent is None else parent
    found = []
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            text = (place / "stat").read_text()
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
        state, its_parent = text.rpartition(")")[2].split()[:2]
        # Under an emulator, the emulator comes first, then the program.
        named = any(word.endswith(b"vizdoom") for word in words[:2])
        if int(its_parent) == parent and named and state not in "ZX":
            found.append(int(place.name))
    return sorted(found)


def alive(number: int) -> bool:
    """True if the process exists and has not ended."""
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Polls the condition. Raises AssertionError after a minute."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, f"waited {TIMEOUT} s until {what}"
        os.sched_yield()


def run(code: str, folder: Path, prefix: Sequence[str] = (), **environment: str) -> str:
    """Runs Python code in a process and a folder of its own, and returns what it prints.

    Args:
        code: The code.
        folder: The working directory.
        prefix: A command that runs the command after it.
        environment: Variables beside those of this process.
    """
    done = subprocess.run(
        [*prefix, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=2 * TIMEOUT,
        cwd=folder,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
