# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about the engine, the scenarios, sound and shared memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from envpool import Compared, Finding
from envpool.errors import MissingPackageError

from . import _installation

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("vizdoom", ("1.3.2",), "the engine plays, and its games and frames may differ"),
)
"""The packages, with versions, with which the tasks were compared."""

_MOST = 2 * 1024**2  # bytes of /dev/shm for an engine, which uses a quarter of it at 320x240


def findings() -> Iterator[Finding | Compared]:
    """Engine, scenarios and shared memory, for `envpool doctor`."""
    try:
        place = _installation.folder()
    except MissingPackageError as error:
        yield Finding("engine", error.got, "problem", error.hint)
        return
    yield _engine(place)
    scenarios = [*(place / "scenarios").glob("*.cfg")]
    maps = [*(place / "scenarios").glob("*.wad")]
    yield Finding(
        "scenarios", f"{len(scenarios)}, with {len(maps)} files of maps, in {place / 'scenarios'}"
    )
    yield _sound()
    yield _shared_memory()
    yield from COMPARED


def _engine(place: Path) -> Finding:
    program = place / "vizdoom"
    try:
        name = version("vizdoom")
    except PackageNotFoundError:
        name = "of an unknown version"
    if not os.access(program, os.X_OK):
        fix = f"run `chmod +x {program}`, or install vizdoom again"
        return Finding("engine", f"{program} may not be run", "problem", fix)
    if not name.startswith("1.3."):
        fix = 'run `pip install "vizdoom>=1.3.1,<1.4"`'
        return Finding("engine", f"ViZDoom {name}, which is not 1.3", "problem", fix)
    return Finding("engine", f"ViZDoom {name}, {program}")


def _sound() -> Finding:
    if _installation.sound_error() is None:
        return Finding("sound", _installation.OPENAL)
    fix = "run `apt install libopenal1`, for audio_buffer_enabled=True"
    return Finding("sound", f"no {_installation.OPENAL}", "missing", fix)


def _shared_memory() -> Finding:
    try:
        room = os.statvfs("/dev/shm")
    except OSError as error:
        return Finding("shared memory", f"no /dev/shm: {error}", "problem", "mount one")
    free = room.f_bavail * room.f_frsize
    engines = free // _MOST
    text = f"{free // 1024**2} MB free in /dev/shm: room for {engines} engines and more"
    if engines < 8:
        return Finding("shared memory", text, "warning", "make it larger, in Docker by --shm-size")
    return Finding("shared memory", text)
