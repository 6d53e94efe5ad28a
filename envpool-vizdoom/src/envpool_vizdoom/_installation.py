# SPDX-License-Identifier: Apache-2.0
"""The wheel `vizdoom`: the engine, Freedoom and the scenarios, found without importing it."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from pathlib import Path

from envpool.errors import MissingPackageError

__all__ = ["OPENAL", "folder", "sound_error"]

OPENAL = "libopenal.so.1"  # the engine loads it by this name


def folder() -> Path:
    """The folder of the package, with `vizdoom`, `freedoom2.wad` and `scenarios`.

    Raises:
        MissingPackageError: If it is not installed, or has no engine.
    """
    # Importing the package would load its own client, with the client's libraries.
    found = find_spec("vizdoom")
    places = [Path(place) for place in (found and found.submodule_search_locations) or ()]
    for place in places:
        if (place / "vizdoom").is_file() and (place / "scenarios").is_dir():
            return place
    raise MissingPackageError(
        "the engine of ViZDoom",
        f"none in {', '.join(map(str, places))}" if places else "no package vizdoom",
        "the package vizdoom, 1.3, whose wheel has it",
        'Run `pip install "vizdoom>=1.3.1,<1.4"`',
    )


def sound_error() -> str | None:
    """The reason why the engine has no sound, or None. The engine itself reports nothing."""
    try:
        ctypes.CDLL(OPENAL)
    except OSError as error:
        return str(error)
    return None
