# SPDX-License-Identifier: Apache-2.0
"""The reference of every game: the same ROM in ale-py."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ale_py
from probes import load

ROMS = Path(ale_py.__file__).parent / "roms"
probe = load("games/games_probe.cc")


@dataclass(frozen=True)
class Case:
    """One game.

    Attributes:
        name: Of the ROM's file.
        task: Of the task, without its version.
        modes: All of them; the first one is the default.
        difficulties: All of them.
        reference: The name of the reference, for people.
        frames: To play in the default mode; each of the others has a tenth of it.
    """

    name: str
    task: str
    modes: Sequence[int]
    difficulties: Sequence[int]
    reference: str = f"ale-py {importlib.metadata.version('ale-py')}"
    frames: int = 20_000

    def __str__(self) -> str:
        """The task id."""
        return f"{self.task}-v5"

    def rom(self) -> Path:
        """The ROM's file."""
        return ROMS / f"{self.name}.bin"


CASES = tuple(
    Case(game["name"], game["task"], tuple(game["modes"]), tuple(game["difficulties"]))
    for game in probe.all_games()
)
