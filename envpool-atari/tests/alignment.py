# SPDX-License-Identifier: Apache-2.0
"""Plays a game and its reference side by side, from the loading of the ROM on.

Nothing is ever copied from one to the other: both get the same seed, the same actions and paddle
strengths, the same modes and difficulties. Actions are repeated at random, all 18 are tried, and
games are started again in the middle and after their end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from ale_py import ALEInterface, LoggerMode
from envpool.testing.fidelity import Comparison
from references import Case, probe

UNIT = "frames"
REPEAT = 0.25
ALEInterface.setLoggerMode(LoggerMode.Error)


def align(case: Case, frames: int, variants: int | None = None, seed: int = 2024) -> Comparison:
    """Plays `frames` frames, then a tenth of it for each pair of mode and difficulty.

    Args:
        case: The game.
        frames: With the default mode and difficulty; resets are not counted.
        variants: How many pairs, chosen at random; all of them if None.
        seed: Of everything that is random.

    Returns:
        The differences. The comparison ends where RAM differs: nothing can be equal after that.
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
        self.result = Comparison({"frames": 0, "resets": 0, "modes x difficulties": 0})
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
        self.result.count("modes x difficulties")
        self.ale.setMode(mode)
        self.ale.setDifficulty(difficulty)
        self.game.set_mode_and_difficulty(mode, difficulty)
        self.reset()

    def reset(self) -> None:
        """Starts a new game."""
        if "RAM" not in self.result.differing:
            self.ale.reset_game()
            self.game.reset()
            self.result.count("resets")
            self._compare(0, 0)

    def play(self, frames: int) -> None:
        """Plays, with a new game after each end and now and then before it."""
        action, strength = 0, 1.0
        for _ in range(frames):
            if "RAM" in self.result.differing:
                return
            if self.rng.random() < 0.3:
                action = int(self.rng.integers(18))
                strength = float(np.float32(self.rng.choice((1.0, 1.0, self.rng.random()))))
            rewards = self.ale.act(action, strength), self.game.act(action, strength)
            self.result.count("frames")
            self._compare(*rewards)
            if self.ale.game_over() or self.rng.random() < 1 / 3000:
                self.reset()

    def _compare(self, expected: int, got: int) -> None:
        ale, game = self.ale, self.game
        ale.getRAM(self.ram)
        ale.getScreen(self.screen)
        where = f"in frame {self.result.counts['frames']:,} ({self.where})"
        for part, equal in {
            "RAM": game.has_ram(self.ram),
            "observation": game.has_screen(self.screen),
            "reward": got == expected,
            "infos lives": game.lives() == ale.lives(),
            "ends": game.game_over() == ale.game_over(),
            "infos frame numbers": game.frame_number() == ale.getFrameNumber()
            and game.episode_frame_number() == ale.getEpisodeFrameNumber(),
        }.items():
            self.result.compare(part, equal, True, where)
