# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to its files and to one of the two compiled environments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from envpool import Prepared, Task
from envpool.errors import ConfigError
from envpool.files import check_file

from . import _installation
from ._tasks import OWN, SCENARIOS, Scenario, cfg_of

__all__ = ["prepare"]

_SCENARIOS = {f"{scenario.name}-v1": scenario for scenario in SCENARIOS}
_MOST_CFG_BYTES = 2**20  # ViZDoom's files have fewer than 2,000
# The first bytes of the archives that ZDoom opens: WAD, ZIP (pk3), 7z (pk7). It treats any other
# file as a single lump without a map, and plays the map of another archive.
_ARCHIVES = (b"IWAD", b"PWAD", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c")
_PATHS = ("cfg_path", "wad_path", "vzd_path", "iwad_path", "lmp_save_dir")


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """Finds the files of the task."""
    scenario = _SCENARIOS[task.id]
    given = dict(options)
    for key in _PATHS:
        # The engine has its own working folder.
        if isinstance(path := given.get(key), str | os.PathLike) and os.fspath(path):
            given[key] = str(Path(path).expanduser().absolute())
    if cfg := given.get("cfg_path"):
        call = f"make({task.id!r}, cfg_path={cfg!r})"
        check_file(call, str(cfg), _MOST_CFG_BYTES)
        given.setdefault("map_id", "")  # the user's own configuration names its map
    place = _installation.folder()
    if not given.get("cfg_path"):
        given["cfg_path"] = str(_cfg(task, scenario, place))
    if not given.get("wad_path") and scenario.wad:
        given["wad_path"] = str(place / "scenarios" / scenario.wad)
    if not given.get("vzd_path"):
        given["vzd_path"] = str(place / "vizdoom")
    elif not given.get("iwad_path"):  # it is searched beside the engine
        given["iwad_path"] = str(place / "freedoom2.wad")
    if build:
        _check_sound(task, given)
        _check_wad(task, scenario, given)
        for key in ("wad_path", "vzd_path", "iwad_path"):
            given[key] = _existing(task, key, given.get(key) or "")
        for key in ("wad_path", "iwad_path"):
            _check_archive(task, key, given[key])
    notes = {"needs": "wad_path"} if scenario.needs_wad and not given.get("wad_path") else {}
    combined = given.get("use_combined_action", task.defaults.get("use_combined_action"))
    return Prepared(f"{task.env}Combined" if combined else task.env, given, notes)


def _cfg(task: Task, scenario: Scenario, place: Path) -> Path:
    if scenario.cfg:
        return cfg_of(scenario, place)
    raise ConfigError(
        f"make({task.id!r})",
        "no cfg_path",
        "the path of a ViZDoom configuration",
        "Pass cfg_path, and wad_path unless the configuration names the maps",
    )


def _check_wad(task: Task, scenario: Scenario, given: Mapping[str, object]) -> None:
    if not scenario.needs_wad or given.get("wad_path"):
        return
    raise ConfigError(
        f"make({task.id!r})",
        f"no wad_path, and no {scenario.cfg}.wad in {OWN}",
        f"the path of {scenario.cfg}.wad, which no package brings by itself",
        "Take it from github.com/isl-org/DirectFuturePrediction, folder maps, and pass wad_path",
    )


def _check_sound(task: Task, given: Mapping[str, object]) -> None:
    key = "audio_buffer_enabled"
    if not given.get(key, task.defaults.get(key)) or not (error := _installation.sound_error()):
        return
    raise ConfigError(
        f"make({task.id!r}, {key}=True)",
        f"an engine that would be silent: {error}",
        f"a system that has {_installation.OPENAL}",
        "Run `apt install libopenal1`, or the like of your system",
    )


def _check_archive(task: Task, key: str, path: object) -> None:
    if not path:
        return
    call = f"make({task.id!r}, {key}={path!r})"
    check_file(call, str(path))
    with Path(str(path)).open("rb") as file:
        start = file.read(max(map(len, _ARCHIVES)))
    if not start.startswith(_ARCHIVES):
        raise ConfigError(
            call,
            f"a file that begins with {start!r}",
            "a WAD, PK3 or PK7 file, which begins with IWAD, PWAD, PK or 7z",
            "Pass the path of a file with maps",
        )


def _existing(task: Task, key: str, path: object) -> object:
    """The path, with .wad added if it was left out."""
    if not path or not isinstance(path, str):
        return path
    for candidate in (path, f"{path}.wad"):
        if Path(candidate).is_file():
            return candidate
    raise ConfigError(
        f"make({task.id!r}, {key}={path!r})",
        "no such file",
        "the path of a file that exists",
        "Correct the path, or leave it out for the file of the wheel vizdoom",
    )
