# SPDX-License-Identifier: Apache-2.0
"""The lines of `envpool doctor` about the cartridges and the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Compared, Finding

from . import _atari, _roms
from ._games import GAMES

__all__ = ["COMPARED", "findings"]

COMPARED = (
    Compared("ale-py", ("0.12.1",), "its rules may differ; other cartridges are told above"),
)
"""The packages, with versions, with which the tasks were compared."""


def findings() -> Iterator[Finding | Compared]:
    """The instructions that are used, and the cartridges that exist."""
    yield Finding("instruction set", f"{_atari.instruction_set()} for screens")
    yield _roms.survey({game: _atari.md5(game) for game in GAMES})
    yield from COMPARED
