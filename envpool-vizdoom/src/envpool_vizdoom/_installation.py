# SPDX-License-Identifier: Apache-2.0
"""The wheel `vizdoom`: the engine, Freedoom and the scenarios, found without importing it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from envpool import Finding
from envpool.errors import MissingPackageError

__all__ = ["findings", "folder", "sound_error"]

OPENAL = "libopenal.so.1"  # which the engine loads by this name

_MOST = 2 * 1024**2  # bytes of /dev/shm for an engine, of which it uses a quarter at 320x240


def folder() -> Path:
    """The folder of the package, in which are `vizdoom`, `freedoom2.wad` and `scenarios`.

    Raises:
        MissingPackageError: If it is not installed, or has no engine.
    """
    # Importing it would load its own client, with the libraries of that.
    found = find_spec("vizdoom")
    places = [Path(place) for place in (found and found.submodule_search_locations) or ()]
    for place in places:
        if (place / "vizdoom").is_file() and (place / "scenarios").is_dir():
            return place
    raise MissingPackageError(
        "the engine of ViZDoom",
        f"none in {', '.join(map(str, places))}" if places else "no package vizdoom",
        "the package vizdoom, 1.3, whose wheel has it",
        'Run `pip install "vizdoom>=1.3.0,<1.4"`',
    )


def sound_error() -> str | None:
    """Why the engine would have no sound, or None: it says nothing of it and plays silence."""
    try:
        ctypes.CDLL(OPENAL)
    except OSError as error:
        return str(error)
    return None


def findings() -> Iterator[Finding]:
    """Engine, scenarios and shared memory, for `envpool doctor`."""
    try:
        place = folder()
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
        fix = 'run `pip install "vizdoom>=1.3.0,<1.4"`'
        return Finding("engine", f"ViZDoom {name}, which is not 1.3", "problem", fix)
    return Finding("engine", f"ViZDoom {name}, {program}")


def _sound() -> Finding:
    if sound_error() is None:
        return Finding("sound", OPENAL)
    fix = "run `apt install libopenal1`, for audio_buffer_enabled=True"
    return Finding("sound", f"no {OPENAL}", "missing", fix)


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
