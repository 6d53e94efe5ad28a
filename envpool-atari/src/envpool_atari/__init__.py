# SPDX-License-Identifier: Apache-2.0
"""Atari 2600: the 104 games that the wheel envpool-atari adds to EnvPool, and any other ROM.

The emulator is in the compiled module `envpool_atari._atari`, which `envpool.make` imports. The
cartridges are not in the wheel: `pip install "envpool-atari[roms]"`, or see `_roms.py` for the
folders that are looked into.

    spec = envpool.make_spec("Pong-v5")
    envpool_atari.action_meanings(spec)  # "NOOP", "FIRE", "RIGHT", ...
    envpool_atari.modes("pong")  # 0, 1, 2: the values of the option `mode`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from envpool import Family
from envpool.errors import ConfigError, suggest

from . import _tasks
from ._games import GAMES, OWN_ROM, meanings

if TYPE_CHECKING:
    from envpool import EnvSpec

    from . import _atari

__all__ = ["action_meanings", "difficulties", "modes"]


def action_meanings(game: str | EnvSpec) -> tuple[str, ...]:
    """The meaning of each action, as "RIGHTFIRE"; for a joystick, of its three numbers.

    Args:
        game: A game, as "ms_pacman", or a spec that `envpool.make_spec` returned: its options then
        decide.

    Raises:
        ConfigError: If there is no such game.
    """
    options: Mapping[str, Any] = {} if isinstance(game, str) else game.options
    row = _row(game)
    return meanings(row, options.get("full_action_space", False), options.get("continuous", False))


def modes(game: str | EnvSpec) -> tuple[int, ...]:
    """The values of the option `mode` beside -1. -1 selects the first of them.

    Args:
        game: As for `action_meanings`.

    Raises:
        ConfigError: If there is no such game.
    """
    return tuple(_row(game).modes)


def difficulties(game: str | EnvSpec) -> tuple[int, ...]:
    """The values of the option `difficulty` beside -1.

    Args:
        game: As for `action_meanings`.

    Raises:
        ConfigError: If there is no such game.
    """
    return tuple(_row(game).difficulties)


def _row(game: str | EnvSpec) -> _atari.GameInfo:
    from . import _atari

    name = game if isinstance(game, str) else game.options.get("task")
    if not isinstance(name, str) or (name not in GAMES and not name.startswith(f"{OWN_ROM}:")):
        then = suggest(name, GAMES, "Pass a game, or the spec of one")
        raise ConfigError("envpool_atari", repr(name), ", ".join(map(repr, GAMES)), then)
    return _atari.game_info(name)


FAMILY = Family(
    _tasks.tasks,
    prepare="envpool_atari._prepare:prepare",
    findings="envpool_atari._findings:findings",
)
