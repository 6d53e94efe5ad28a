# SPDX-License-Identifier: Apache-2.0
"""What `envpool doctor` says of the cartridges and of the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Finding

from . import _atari, _roms
from ._games import GAMES

__all__ = ["findings"]


def findings() -> Iterator[Finding]:
    """Which instructions are used, and which cartridges are there."""
    yield Finding("instruction set", f"{_atari.instruction_set()} for screens")
    yield _roms.survey({game: _atari.md5(game) for game in GAMES})
