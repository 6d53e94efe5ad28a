# SPDX-License-Identifier: Apache-2.0
"""Finds the cartridges. No wheel of this project contains them.

These places are searched, in this order:

1. `<base_path>/atari/roms`, if the option base_path is given
2. the folder that the environment variable ENVPOOL_ATARI_ROM_DIR names
3. the folder that ALE_ROMS_DIR names
4. the package ale_py, which `pip install "envpool-atari[roms]"` installs
5. the package envpool_assets

A cartridge is a file `<game>.bin` with the right MD5 sum: the emulator is exact with this file.
Packages
are found without being imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from envpool import Finding
from envpool.errors import PluginError

VARIABLES = ("ENVPOOL_ATARI_ROM_DIR", "ALE_ROMS_DIR")
_PACKAGES = (("ale_py", "roms"), ("envpool_assets", "atari/roms"))
INSTALL = 'pip install "envpool-atari[roms]"'
_MOST_BYTES = 1 << 16  # four times as many as the largest cartridge has
_MOST_NAMES = 8  # of games in one finding


class Place(NamedTuple):
    """A place in which cartridges may be.

    Attributes:
        source: The option, variable or package that names the place.
        folder: The folder; None if the source names none.
    """

    source: str
    folder: Path | None


def places(base_path: str = "") -> list[Place]:
    """All places, in the order of the search.

    Args:
        base_path: The option of that name; empty if it was not given.
    """
    found = [Place("base_path", Path(base_path) / "atari" / "roms")] if base_path else []
    for variable in VARIABLES:
        value = os.environ.get(variable)
        found.append(Place(f"${variable}", Path(value) if value else None))
    for package, inside in _PACKAGES:
        spec = importlib.util.find_spec(package)
        roots = (spec.submodule_search_locations if spec is not None else None) or [""]
        found.append(Place(f"package {package}", Path(roots[0]) / inside if roots[0] else None))
    return found


def find(game: str, md5: str, base_path: str = "") -> bytes:
    """The contents of a game's cartridge.

    Args:
        game: As in the table of games, "ms_pacman".
        md5: The sum that the file must have, in hexadecimal digits.
        base_path: The option of that name; empty if it was not given.

    Raises:
        PluginError: If no place has it. The message names the places and the remedy.
    """
    seen = []
    for place in places(base_path):
        if place.folder is None:
            seen.append(
                f"{place.source}: {'not set' if place.source[0] == '$' else 'not installed'}"
            )
            continue
        path = place.folder / f"{game}.bin"
        try:
            data = read(path)
        except OSError as error:
            seen.append(f"{place.source}: {error.strerror or error} ({path})")
            continue
        found = _md5(data)
        if found == md5:
            return data
        seen.append(f"{place.source}: another cartridge, MD5 {found} ({path})")
    raise PluginError(
        f"the cartridge of {game!r}",
        "none: " + "; ".join(seen),
        f"a file {game}.bin with the MD5 sum {md5} in one of these places",
        f"Run {_fix('it')}",
        plugin="atari",
        wheel="envpool-atari",
    )


def survey(sums: Mapping[str, str]) -> Finding:
    """Reports which cartridges exist, for `envpool doctor`.

    Args:
        sums: The MD5 sum of every game's cartridge.
    """
    folders = [place for place in places() if place.folder is not None]
    found: Counter[str] = Counter()
    missing = []
    for game, md5 in sums.items():
        place = next((place for place in folders if _has(place, game, md5)), None)
        if place is None:
            missing.append(game)
        else:
            found[f"{place.source} ({place.folder})"] += 1
    detail = f"{found.total()} of {len(sums)} found"
    if len(found) == 1:
        detail += f" in {next(iter(found))}"
    elif found:
        detail += ": " + ", ".join(f"{count} in {where}" for where, count in found.items())
    if not missing:
        return Finding("ROMs", detail)
    if found:
        names = [*missing[:_MOST_NAMES], *(["..."] if len(missing) > _MOST_NAMES else [])]
        detail += f"; not: {', '.join(names)}"
    return Finding("ROMs", detail, "warning" if found else "problem", f"run {_fix('them')}")


def _has(place: Place, game: str, md5: str) -> bool:
    assert place.folder is not None
    try:
        return _md5(read(place.folder / f"{game}.bin")) == md5
    except OSError:
        return False


def read(path: Path) -> bytes:
    """The contents of a file that may be a cartridge.

    Raises:
        OSError: If it cannot be a cartridge. Pipes and devices are not opened: reading them might
        never end.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("no regular file")
    if status.st_size > _MOST_BYTES:
        raise OSError(f"{status.st_size} bytes, too many for a cartridge")
    return path.read_bytes()


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _fix(them: str) -> str:
    return (
        f"`{INSTALL}`, or name a folder that has {them} in the environment variable {VARIABLES[0]}"
    )
