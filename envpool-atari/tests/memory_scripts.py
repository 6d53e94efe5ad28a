# SPDX-License-Identifier: Apache-2.0
"""Rules of Atari's games that look back further than to the last frame, from ale-py as a black box.

    python envpool-atari/tests/memory_scripts.py                # all scripts
    python envpool-atari/tests/memory_scripts.py othello        # those of one game

A script says what some bytes of memory become, frame after frame. ale-py's `setRAM` writes them
into a game that goes on, so that what ale-py has counted stays with it: a saved state may lose it,
as that of Miniature Golf does. Printed is what ale-py says after each frame. The memories that were
there are judged by our rules as well, and every answer has to be the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from machines import roms, rules_of
from rich.console import Console

Writes = dict[int, int]
Said = tuple[int, int, int]


class MemoryScript(NamedTuple):
    """The bytes that a script changes, and its expected effect."""

    game: str
    shows: str
    frames: Sequence[Writes]
    """Before each frame: addresses, and their new values."""


def _bcd(number: int) -> int:
    return 16 * (number // 10) + number % 10


def _hole(par: int, strokes: Sequence[int]) -> MemoryScript:
    counted = [{0xAF: 1, 0x88: 0, 0x87: _bcd(count)} for count in strokes]
    frames = [{0xAF: 1, 0x88: _bcd(par), 0x87: 0}, *counted, {**counted[-1], 0xAF: 2}]
    text = ", ".join(str(count) for count in strokes)
    return MemoryScript(
        "miniature_golf", f"hole 2 comes after par {par} and strokes {text}", frames
    )


_GAP = {0xC0: 0}
_BET, _MORE = {0x95: 1, 0x8C: 0}, {0x95: 2, 0x8C: 0}
SCRIPTS = [
    *(_hole(par, [strokes]) for par in (1, 3, 12) for strokes in (0, 1, 4, 11, 99)),
    _hole(3, [98, 99, 0, 1]),  # two digits
    MemoryScript("othello", "nobody moves for 51 frames", [{0xC0: 1}, *[_GAP] * 51]),
    MemoryScript("othello", "or only for 50", [{0xC0: 1}, *[_GAP] * 50, {0xC0: 1}, *[_GAP] * 3]),
    MemoryScript(
        "casino",
        "what was earned last comes again while cards are dealt",
        [
            {**_BET, 0xD4: 0, 0xD3: 0},
            {**_MORE, 0xD4: 0, 0xD3: 0},
            {**_MORE, 0xD4: 0, 0xD3: 0x80},
            {**_BET, 0xD4: 0, 0xD3: 0x80},
            {**_BET, 0xD4: 0, 0xD3: 0},
        ],
    ),
    MemoryScript(
        "word_zapper",
        "nothing changes while the clock shows 0",
        [
            {0xCF: 0x99, 0xDC: 1, 0xDE: 1},
            {0xCF: 0x99, 0xDC: 0, 0xDE: 1},
            {0xCF: 0, 0xDC: 0, 0xDE: 1},
            {0xCF: 0, 0xDC: 1, 0xDE: 0},
            {0xCF: 0x99, 0xDC: 0, 0xDE: 1},
        ],
    ),
    MemoryScript("darkchambers", "a level that falls ends the game", [{0xD5: 5}, {0xD5: 4}]),
    MemoryScript("darkchambers", "so does a score that falls", [{0xCC: 5}, {0xCC: 7}, {0xCC: 6}]),
    MemoryScript(
        "star_gunner",
        "five lives until the byte has shown five",
        [{0x87: 2}, {0x87: 3}, {0x87: 5}, {0x87: 2}],
    ),
    MemoryScript(
        "time_pilot",
        "lives are read in one state of the game",
        [{0x80: 2, 0x8B: 3}, {0x80: 1, 0x8B: 1}, {0x80: 0, 0x8B: 1}, {0x80: 2, 0x8B: 1}],
    ),
    MemoryScript(
        "wizard_of_wor",
        "lives are not read while a bit is set",
        [{0xD7: 0, 0x8D: 3}, {0xD7: 1, 0x8D: 1}, {0xD7: 1, 0x8D: 2}, {0xD7: 0, 0x8D: 2}],
    ),
    MemoryScript(
        "qbert",
        "a life is lost where the byte falls by one, and none comes back",
        [{0x88: 3}, {0x88: 2}, {0x88: 3}, {0x88: 1}, {0x88: 0}],
    ),
    MemoryScript("qbert", "or the game is over, from -1 to 2", [{0x88: 0xFF}, {0x88: 2}]),
]


class Played(NamedTuple):
    """The answers to a script."""

    said: list[Said]
    """ale-py's answers, after each frame until the end: reward, lives, end."""
    judged: list[Said]
    """The answers of our rules."""
    kept: list[bool]
    """Whether the bytes were still there after the frame, which the game itself may change."""


def play(script: MemoryScript, rules: str | None = None) -> Played:
    """Plays a script in ale-py, and judges it by the rules of a game: None: its own."""
    import ale_py

    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale: Any = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.setFloat("repeat_action_probability", 0)
    ale.loadROM(str(roms() / f"{script.game}.bin"))
    ale.reset_game()
    # The frame before the last one of the reset is not seen; it is taken for the same.
    memories, said, kept = [np.array(ale.getRAM())] * 2, [], []
    for writes in script.frames:
        for address, value in writes.items():
            ale.setRAM(address - 0x80, value)
        reward = int(ale.act(0))
        memories.append(np.array(ale.getRAM()))
        kept.append(all(memories[-1][at - 0x80] == value for at, value in writes.items()))
        said.append((reward, int(ale.lives()), int(ale.game_over())))
        if ale.game_over():
            break
    judge = rules_of(rules or script.game)
    judge.reset(int(ale.getAvailableModes()[0]))
    judged = judge.play(np.stack(memories))[2:]
    return Played(said, [tuple(row) for row in judged.tolist()], kept)


def main() -> int:
    """Prints scripts; the exit status is 1 if our rules say something else."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("games", nargs="*")
    options = parser.parse_args()
    console, status = Console(), 0
    for script in SCRIPTS:
        if options.games and script.game not in options.games:
            continue
        played = play(script)
        console.print(f"{script.game}: {script.shows}")
        for writes, said, judged, kept in zip(script.frames, *played, strict=False):
            bytes_ = " ".join(f"{at:02X}={value:02X}" for at, value in writes.items())
            changed = "" if kept else ", after the game has changed a byte"
            ours = "" if said == judged else f"; our rules say {judged}"
            console.print(
                f"    {bytes_}: reward, lives, end {said}{changed}{ours}", highlight=False
            )
        status |= played.said != played.judged
    return status


if __name__ == "__main__":
    sys.exit(main())
