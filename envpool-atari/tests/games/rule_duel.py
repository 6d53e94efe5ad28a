# SPDX-License-Identifier: Apache-2.0
"""A game's rules against ale-py's: both look at the memory of a game that ale-py plays.

Many frames come after bytes of memory have been overwritten, with anything, or with what
the rules look for, so that rare ends, jumps of the score and odd counts of lives happen as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ale_py
import numpy as np
from ale_py import ALEInterface, LoggerMode

ROMS = Path(ale_py.__file__).parent / "roms"
ALEInterface.setLoggerMode(LoggerMode.Error)

# The boards and bytes that the rules written as functions test: lists of (address, value).
_FULL_BOARD = [(address, 8) for address in range(0x9A, 0xDA)]
_CHECKERS = [range(start, start + 8) for start in (0x80, 0x89, 0x92, 0x9B)]
_SOLVED = [(0xA0 + 9 * face + tile, face) for face in range(6) for tile in range(9)]
AIMS: dict[str, list[list[tuple[int, int]]]] = {
    "adventure": [[(0xB9, 0x12)], [(0xE0, 2)]],
    "backgammon": [
        [(a, 0) for a in range(0x80, 0x9C)] + [(0x80, 0xF1), (0x8E, 10), (0x85, 5)],
        [(a, 0) for a in range(0x80, 0x9C)] + [(0x80, 0xF9), (0x8E, 15), (0x99, 0xF8)],
    ],
    "beam_rider": [[(0x85, lives), (0x8C, on)] for lives in (0, 1, 2) for on in (0, 1)],
    "casino": [[(0xD4, 3), (0x9E, 0xAA)], [(0x95, 0), (0x8C, 0)], [(0xD3, 0x80), (0x9E, 0x99)]],
    "darkchambers": [[(0xCA, 0)], [(0xD5, 3)], [(0xD5, 0)], [(0xCF, 0x90)]],
    "hangman": [[(0xF1, 0)], [(0xF1, 255)], [(0xEB, 5)], [(0xEC, 1)]],
    "haunted_house": [[(0x99, 0x44)], [(0x82, 0x10)]],
    "journey_escape": [[(0x90, 5)], [(0x90, 0)], [(0x90, 10)]],
    "miniature_golf": [[(0xAF, 0)], [(0xAF, 2)], [(0x88, 4)], [(0x87, 9)], [(0x87, 1)]],
    "othello": [[(0xC0, 0)]],
    "qbert": [[(0x88, 0xFE)], [(0x88, 0xFF)], [(0x88, 2)], [(0x88, 1)], [(0x88, 0)]],
    "riverraid": [[(0xC0, 0x59)], [(0xC0, 0x58)]],
    "star_gunner": [[(0x87, 5)], [(0x87, 6)], [(0x87, 0)]],
    "tennis": [[(0xC7, 6), (0xC8, 4)], [(0xC8, 7)], [(0xC7, 6)], [(0xC5, 3)]],
    "tic_tac_toe_3d": [
        [(0xFF, 0xF3), (0xFE, 0x10), (0xE1, 8)],
        [(0xFF, 0xF3), (0xFE, 0x10), (0xE1, 9)],
        _FULL_BOARD,
    ],
    "video_checkers": [
        [(a, man) for row in _CHECKERS for a in row] for man in (0, 0x10, 0x20, 0x90, 0xA0)
    ],
    "video_chess": [[(0xE1, 0x82), (0xEE, who)] for who in (0, 1, 3)],
    "video_cube": [_SOLVED, _SOLVED[:18], [(0xDB, 0)], [(0xDB, 255)]],
    "word_zapper": [[(0xDC, 0xFF)], [(0xDE, 0)], [(0xCF, 0)], [(0xCF, 0x99), (0xDC, 0xFF)]],
}


@dataclass
class Duel:
    """Our rules' and ale-py's results of a game.

    Attributes:
        frames: How many were judged.
        ends: How many games were over.
        rewards: Different ones that ale-py gave.
        difference: The first difference, in words; empty if there is none.
    """

    frames: int = 0
    ends: int = 0
    rewards: int = 0
    difference: str = ""


def duel(game: dict[str, Any], rules: Any, frames: int, seed: int = 0) -> Duel:
    """Plays about `frames` frames over some modes and difficulties of a game.

    Args:
        game: A row of `all_games()`.
        rules: Of the module games_probe, for the same game.
        frames: How many to play, resets not counted.
        seed: The seed of the actions and of the written bytes.
    """
    rng = np.random.default_rng(seed)
    ale = ALEInterface()
    ale.setInt("random_seed", seed)
    ale.setFloat("repeat_action_probability", 0.25)
    ale.loadROM(ROMS / f"{game['name']}.bin")
    variants = [(mode, switch) for mode in game["modes"] for switch in game["difficulties"]]
    chosen = rng.permutation(len(variants))[:6]
    result = Duel()
    seen: set[int] = set()
    for index in chosen:
        mode, difficulty = variants[index]
        ale.setMode(mode)
        ale.setDifficulty(difficulty)
        left = -(-frames // len(chosen))
        while left > 0 and not result.difference:
            memory, said = _episode(ale, rng, game["name"], rules.aims(), min(left, frames // 8))
            rules.reset(mode)
            rules.play(memory[:1])  # the frame before the last one of the reset was not seen
            judged = rules.play(memory)
            judged[0, 0] = said[0, 0]  # no step returns rewards of the reset
            for i in np.flatnonzero((judged != said).any(axis=1))[:1]:
                result.difference = (
                    f"mode {mode}, difficulty {difficulty}, frame {i}: reward, lives, over are "
                    f"{said[i].tolist()}, the rules say {judged[i].tolist()}"
                )
            result.frames += len(said)
            result.ends += int(said[-1, 2])
            seen.update(said[:, 0].tolist())
            left -= max(len(said), 40)
    result.rewards = len(seen)
    return result


def _episode(ale: Any, rng: np.random.Generator, name: str, aims: Any, frames: int) -> Any:
    """Memory after each frame, and ale-py's reward, lives and game over."""
    ale.reset_game()
    memory, said = [ale.getRAM()], [(0, ale.lives(), ale.game_over())]
    action, style = 0, rng.integers(3)
    while len(said) <= frames and not ale.game_over():
        if rng.random() < 0.3:
            action = int(rng.integers(18))
        if style > 0 and rng.random() < 0.5:
            for address, value in _writes(rng, name, aims if style == 2 else None):
                ale.setRAM(address & 0x7F, value)
        reward = ale.act(action)
        memory.append(ale.getRAM())
        said.append((reward, ale.lives(), ale.game_over()))
    return np.array(memory), np.array(said, np.int32)


def _writes(rng: np.random.Generator, name: str, aims: Any) -> list[tuple[int, int]]:
    kind = rng.random()
    if kind < 0.1 and name in AIMS and aims is not None:
        return AIMS[name][rng.integers(len(AIMS[name]))]
    if kind < 0.2 and aims is not None:
        return [(a, values[rng.integers(len(values))]) for a, values in aims if values]
    return [(int(rng.integers(128)), int(rng.integers(256))) for _ in range(rng.integers(1, 9))]
