# SPDX-License-Identifier: Apache-2.0
"""The emulator alone against ALE's: every game, without an environment or a pool around it.

    python tools/benchmarks/atari_emulator.py [--frames 800] [--rounds 5] [--games pong breakout]

Both play the same frames, since they are equal: the same seed, the same actions, each held for four
frames, and a new game after each end. They take turns, round by round, in one thread; quoted are
medians of CPU time per frame. ALE draws every frame. Ours is measured twice: with every
frame drawn as well, which the goal is about, and with one of four, as an environment that skips
frames. The last line is the geometric mean over the games. Needs ale-py and pybind11 in the running
Python, and a C++ compiler.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _report import Report, finish
from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parents[2]
PATHS = [str(ROOT / "tools"), str(ROOT / "envpool-atari" / "tests")]
"""Where the console is compiled as a module, as the tests do."""
GOAL = 5.0
HELD = 4
"""Frames of an action."""


class Row(NamedTuple):
    """Microseconds per frame of one game."""

    game: str
    ale: float
    drawn: float
    skipped: float


def measure(case: Any, frames: int, rounds: int) -> Row:
    """Plays a game on both sides, in turns.

    Raises:
        RuntimeError: They did not play the same.
    """
    ale_py = importlib.import_module("ale_py")
    ale = ale_py.ALEInterface()
    ale.setInt("random_seed", 1)
    ale.setFloat("repeat_action_probability", 0)
    ale.loadROM(case.rom())
    probe = importlib.import_module("references").probe
    drawn, skipped = (probe.Game(case.name, case.rom().read_bytes(), 1, 0) for _ in range(2))
    legal = [action.value for action in ale.getMinimalActionSet()]
    times: tuple[list[float], ...] = ([], [], [])
    for number in range(rounds + 1):
        actions = [legal[(i // HELD * 7919 + number) % len(legal)] for i in range(frames)]
        draws = [i % HELD == HELD - 1 for i in range(frames)]
        for game in (ale, drawn, skipped):
            game.reset_game() if game is ale else game.reset()
        seconds = (
            play_ale(ale, actions),
            play_ours(drawn, actions, [True] * frames),
            play_ours(skipped, actions, draws),
        )
        if not (drawn.has_ram(ale.getRAM()) and skipped.has_ram(ale.getRAM())):
            raise RuntimeError(f"{case.name}: not the same game as ALE's")
        if number == 0:
            continue  # Caches are cold.
        for out, value in zip(times, seconds, strict=True):
            out.append(value / frames * 1e6)
    return Row(case.name, *map(statistics.median, times))


def play_ale(game: Any, actions: Sequence[int]) -> float:
    """Seconds of CPU time for these actions."""
    begin = time.thread_time()
    for action in actions:
        game.act(action)
        if game.game_over():
            game.reset_game()
    return time.thread_time() - begin


def play_ours(game: Any, actions: Sequence[int], draws: Sequence[bool]) -> float:
    """Seconds of CPU time for these actions."""
    begin = time.thread_time()
    for action, draw in zip(actions, draws, strict=True):
        game.act(action, 1, draw)
        if game.game_over():
            game.reset()
    return time.thread_time() - begin


def report(rows: Sequence[Row]) -> Report:
    """All games, the smallest gain first."""
    columns = ("game", "ALE", "ours", "ALE / ours", "ours, one of four drawn", "ALE / that")
    out = Report("The emulator alone, microseconds of CPU time per frame", columns)
    for row in sorted(rows, key=lambda row: row.ale / row.drawn):
        out.add(
            row.game,
            f"{row.ale:.1f}",
            f"{row.drawn:.1f}",
            f"{row.ale / row.drawn:.2f}",
            f"{row.skipped:.1f}",
            f"{row.ale / row.skipped:.2f}",
        )
    return out


def main() -> None:
    """Measures and prints; the exit code is 1 when the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=800, help="of a game in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", nargs="*", default=())
    parser.add_argument("--json", type=Path, help="a file for the table")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    options, _ = parser.parse_known_args()
    sys.path[:0] = PATHS
    ale_py = importlib.import_module("ale_py")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    cases = importlib.import_module("references").CASES
    chosen = [case for case in cases if not options.games or case.name in options.games]
    rows = [
        measure(case, options.frames, options.rounds)
        for case in track(chosen, description="playing", console=Console(stderr=True))
    ]
    drawn = statistics.geometric_mean(row.ale / row.drawn for row in rows)
    skipped = statistics.geometric_mean(row.ale / row.skipped for row in rows)
    out = report(rows)
    out.notes = [
        f"geometric mean of {len(rows)} games: {drawn:.2f} times as fast as ALE "
        f"(goal {GOAL:g}), {skipped:.2f} with one of four frames drawn"
    ]
    finish([out], options.json, drawn >= GOAL)


if __name__ == "__main__":
    main()
