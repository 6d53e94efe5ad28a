# SPDX-License-Identifier: Apache-2.0
"""Plays a game and its reference side by side, from the loading of the ROM on.

Nothing is ever copied from one to the other: both get the same seed, the same actions and paddle
strengths, the same modes and difficulties. Actions are repeated at random, all 18 are tried, and
games are started again in the middle and after their end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ale_py import ALEInterface, LoggerMode
from references import Case, probe

UNIT = "frames"
REPEAT = 0.25
PARTS = ("RAM", "screen", "reward", "lives", "game over", "frame number")
ALEInterface.setLoggerMode(LoggerMode.Error)


@dataclass
class Alignment:
    """How far a game is from its reference.

    Attributes:
        frames: How many were compared, each with all of `PARTS`.
        resets: New games that were started.
        variants: Pairs of mode and difficulty.
        differences: For each part that differed, where it did first.
    """

    frames: int = 0
    resets: int = 0
    variants: int = 0
    differences: dict[str, str] = field(default_factory=dict)

    def columns(self) -> dict[str, str]:
        """A row of the fidelity table."""
        row = {
            "frames": f"{self.frames:,}",
            "resets": f"{self.resets:,}",
            "modes x difficulties": str(self.variants),
        }
        return row | {part: self.differences.get(part, "equal") for part in PARTS}


def align(case: Case, frames: int, variants: int | None = None, seed: int = 2024) -> Alignment:
    """Plays `frames` frames, then a tenth of it for each pair of mode and difficulty.

    Args:
        case: The game.
        frames: With the default mode and difficulty; resets are not counted.
        variants: How many pairs, chosen at random; all of them if None.
        seed: Of everything that is random.

    Returns:
        What differed. It ends where RAM differs: nothing can be equal after that.
    """
    duel = Duel(case, seed)
    duel.play(frames)
    pairs = [(mode, difficulty) for mode in case.modes for difficulty in case.difficulties]
    for index in duel.rng.permutation(len(pairs))[:variants]:
        duel.choose(*pairs[index])
        duel.play(frames // 10)
    return duel.result


class Duel:
    """A game and its reference."""

    def __init__(self, case: Case, seed: int) -> None:
        """Loads the ROM on both sides."""
        self.rng = np.random.default_rng(seed)
        self.result = Alignment()
        self.where = "loading"
        self.ale: Any = ALEInterface()
        self.ale.setInt("random_seed", seed)
        self.ale.setFloat("repeat_action_probability", REPEAT)
        self.ale.loadROM(case.rom())
        self.game = probe.Game(case.name, case.rom().read_bytes(), seed, REPEAT)
        self.ram = np.empty(128, np.uint8)
        self.screen = np.empty(self.ale.getScreenDims(), np.uint8)
        self._compare(0, 0)

    def choose(self, mode: int, difficulty: int) -> None:
        """Starts a new game of this mode and difficulty."""
        self.where = f"mode {mode}, difficulty {difficulty}"
        self.result.variants += 1
        self.ale.setMode(mode)
        self.ale.setDifficulty(difficulty)
        self.game.set_mode_and_difficulty(mode, difficulty)
        self.reset()

    def reset(self) -> None:
        """Starts a new game."""
        if "RAM" not in self.result.differences:
            self.ale.reset_game()
            self.game.reset()
            self.result.resets += 1
            self._compare(0, 0)

    def play(self, frames: int) -> None:
        """Plays, with a new game after each end and now and then before it."""
        action, strength = 0, 1.0
        for _ in range(frames):
            if "RAM" in self.result.differences:
                return
            if self.rng.random() < 0.3:
                action = int(self.rng.integers(18))
                strength = float(np.float32(self.rng.choice((1.0, 1.0, self.rng.random()))))
            rewards = self.ale.act(action, strength), self.game.act(action, strength)
            self.result.frames += 1
            self._compare(*rewards)
            if self.ale.game_over() or self.rng.random() < 1 / 3000:
                self.reset()

    def _compare(self, expected: int, got: int) -> None:
        ale, game = self.ale, self.game
        ale.getRAM(self.ram)
        ale.getScreen(self.screen)
        equal = (
            game.has_ram(self.ram),
            game.has_screen(self.screen),
            got == expected,
            game.lives() == ale.lives(),
            game.game_over() == ale.game_over(),
            game.frame_number() == ale.getFrameNumber()
            and game.episode_frame_number() == ale.getEpisodeFrameNumber(),
        )
        if not all(equal):
            where = f"frame {self.result.frames:,} ({self.where})"
            for part in (p for p, e in zip(PARTS, equal, strict=True) if not e):
                self.result.differences.setdefault(part, where)
