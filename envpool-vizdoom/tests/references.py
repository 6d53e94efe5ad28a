# SPDX-License-Identifier: Apache-2.0
"""The references, case by case: `vizdoom.DoomGame` with a configuration."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import vizdoom
from envpool.errors import ConfigError
from envpool_vizdoom import _tasks

PACKAGE = Path(vizdoom.__file__).parent
SCENARIOS = PACKAGE / "scenarios"
FRAME_SKIP = 4
STEPS = 500
"""Steps of a whole comparison."""
REFERENCE = f"vizdoom {version('vizdoom')}"
_HOST = "-host 1 -deathmatch +sv_forcerespawn 1"


@dataclass(frozen=True)
class Case:
    """A game, in the form for both sides."""

    name: str
    cfg: Path
    task_id: str = "VizdoomCustom-v1"
    options: Mapping[str, Any] = field(default_factory=dict)  # of the pool
    settings: Mapping[str, Any] = field(default_factory=dict)  # of DoomGame, by its setters
    steps: int = STEPS
    reference: str = REFERENCE

    def __str__(self) -> str:
        """The case's name in the table."""
        return self.name

    def pool_options(self) -> dict[str, Any]:
        """The options for `envpool.make`, besides numbers and sizes."""
        cfg = {"cfg_path": str(self.cfg)} if self.task_id == "VizdoomCustom-v1" else {}
        return {**cfg, "reward": "scenario", "scenario_timeout": True, **self.options}


def _cases() -> Iterator[Case]:
    for scenario in _tasks.SCENARIOS:
        task_id = f"{scenario.name}-v1"
        cfg = _tasks.cfg_of(scenario, PACKAGE)
        if scenario.wad:
            settings = {"doom_scenario_path": str(SCENARIOS / scenario.wad)}
            yield Case(task_id, cfg, task_id, settings=settings)
        elif scenario.needs_wad:
            # No package has its maps: the configuration is played on another scenario's maps.
            wad = str(SCENARIOS / "defend_the_center.wad")
            settings = {"doom_scenario_path": wad}
            yield Case(f"{task_id} on other maps", cfg, task_id, {"wad_path": wad}, settings)
        elif scenario.options.get("deathmatch"):
            yield Case(task_id, cfg, task_id, settings={"game_args": _HOST})
        elif scenario.cfg:
            yield Case(task_id, cfg, task_id)
    yield Case("learning.cfg", SCENARIOS / "learning.cfg")
    host = {"deathmatch": True}
    yield Case("multi.cfg", SCENARIOS / "multi.cfg", options=host, settings={"game_args": _HOST})
    oblige = {"map_id": "map02"}, {"doom_map": "map02"}
    yield Case("oblige.cfg", SCENARIOS / "oblige.cfg", "VizdoomCustom-v1", *oblige)
    yield Case("freedoom2.cfg", SCENARIOS / "freedoom2.cfg")
    first = {"map_id": "e1m1"}, {"doom_map": "e1m1"}
    yield Case("freedoom1.cfg", SCENARIOS / "freedoom1.cfg", "VizdoomCustom-v1", *first)


CASES = tuple(_cases())


@contextlib.contextmanager
def doom_game(cfg: Path, seed: int, settings: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """A game that has begun its first episode by `new_episode`, as a pool does.

    Args:
        cfg: The configuration.
        seed: Of the game.
        settings: By names of setters, as {"doom_map": "map01"} for `set_doom_map`; further
            arguments of the engine as "game_args".
    """
    settings = {"doom_map": "map01", **(settings or {})}
    arguments = settings.pop("game_args", "")
    game = vizdoom.DoomGame()
    game.load_config(str(cfg))
    game.set_window_visible(False)
    game.set_mode(vizdoom.Mode.PLAYER)
    game.set_audio_buffer_enabled(False)
    game.set_automap_buffer_enabled(False)
    game.set_notifications_buffer_enabled(False)
    game.set_seed(seed)
    for name, value in settings.items():
        getattr(game, f"set_{name}")(value)
    if arguments:
        game.add_game_args(f"{arguments} -port {_free_port()}")
    # The engine writes _vizdoom.ini into the folder in which it is started.
    with tempfile.TemporaryDirectory() as folder:
        with _inside(folder):
            game.init()
        try:
            game.new_episode()
            yield game
        finally:
            game.close()


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("", 0))
        port: int = one.getsockname()[1]
        return port


def variable(game: Any, name: str) -> float:
    """The value of a game variable."""
    value: float = game.get_game_variable(getattr(vizdoom.GameVariable, name))
    return value


def planes(buffer: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An image as planes."""
    return buffer if buffer.ndim == 3 else buffer[None]


def has_sound() -> bool:
    """True if the engine can play sound here: without OpenAL, and in some versions, it cannot."""
    try:
        envpool.make("BasicAudio-v1", audio_buffer_enabled=True).close()
    except ConfigError as error:
        if "apt install libopenal1" not in str(error) and "ended by signal" not in str(error):
            raise
        return False
    return True
