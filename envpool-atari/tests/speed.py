# SPDX-License-Identifier: Apache-2.0
"""Atari against the original EnvPool and ALE's own vector environment; the emulator alone.

32 environments, observations of 4 x 84 x 84, 4 frames per step. The emulator alone plays the same
frames as ALE's, since they are equal: one thread, CPU time of a frame, every frame drawn.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comparison import (
    ENVPOOL_NAME,
    Comparison,
    Figure,
    Figures,
    Report,
    Row,
    Settings,
    Side,
    figure,
    mode,
    pools,
    thread_counts,
)  # fmt: skip
from rich.console import Console
from rich.progress import track

GAMES = ("pong", "breakout", "space_invaders", "ms_pacman", "qbert", "montezuma_revenge")
NUM_ENVS = 32
ALE = "ale_py.AtariVectorEnv"
MAKE = """
envpool.make("Pong-v5", num_envs=1).close()
start = time.perf_counter()
pool = envpool.make("Pong-v5", num_envs=64)
print((time.perf_counter() - start) * 1e3)
"""
# All results are held, so that what the pool keeps of them is counted, too; many environments, so
# that what the process had freed before does not count.
MEMORY = """
def size(tree):
    if isinstance(tree, (tuple, dict)):
        return sum(map(size, tree.values() if isinstance(tree, dict) else tree))
    return getattr(tree, "nbytes", 0)
envpool.make("Pong-v5", num_envs=2, num_threads=2).reset()
before = rss()
pool = envpool.make("Pong-v5", num_envs=2048, num_threads=2)
results = [pool.reset()]
for _ in range(4):
    results.append(pool.step(numpy.zeros(2048, numpy.int32)))
print((rss() - before - size(tuple(results))) / 2048 / 1e3)
"""
SAVE = """
pool = envpool.make("Pong-v5", num_envs=1, {options})
pool.reset()
for _ in range(200):
    pool.step(numpy.zeros(1, numpy.int32))
times = []
for function, value in ((pool.save_state, None), (pool.load_state, pool.save_state())):
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(1000):
            function() if value is None else function(value)
        times.append((time.perf_counter() - start) * 1e3)
print(len(pool.save_state()[0]), sorted(times[:9])[4], sorted(times[9:])[4])
"""


def row(game: str, batch_size: int, threads: int) -> Row:
    """One way to play a game."""
    task = "".join(word.capitalize() for word in game.split("_")) + "-v5"
    options = {"num_envs": NUM_ENVS, "batch_size": batch_size, "num_threads": threads}
    ale = Side(ALE, {"game": game, **options}, function="ale")
    shares = NUM_ENVS // batch_size
    return Row(
        (game, mode(NUM_ENVS, batch_size), str(threads)),
        batch_size,
        [*pools(task, NUM_ENVS, batch_size, num_threads=threads), ale],
        before=shares if shares > 1 else 0,
    )


def mean_goal(cells: tuple[str, ...], peer: str) -> float:
    """By how much ours is to be faster over all games."""
    return (7.0 if peer == ENVPOOL_NAME else 6.5) - (cells[0] != "sync")


def saved(what: str, options: str) -> Figure:
    """A saved state, and the time to save and load it."""
    names = [f"saved state{what}", f"save_state{what}", f"load_state{what}"]
    return Figure(names, SAVE.replace("{options}", options), ["bytes", "µs", "µs"], [None] * 3)


@dataclass(frozen=True)
class Emulators:
    """Every game, without an environment or a pool around it."""

    title: str = "The emulator alone, microseconds of CPU time per frame"
    goal: float = 5.0
    frames: int = 800
    held: int = 4

    def measure(self, settings: Settings) -> list[Report]:
        """Plays on both sides, in turns; the geometric mean is a note."""
        sys.path.insert(0, str(Path(__file__).parent))
        ale_py: Any = importlib.import_module("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
        references: Any = importlib.import_module("references")
        columns = ("game", "ALE", "ours", "ALE / ours", "ours, one of four drawn", "ALE / that")
        report, rows = Report(self.title, columns), []
        chosen = [case for case in references.CASES if settings.wants(case.name)]
        for case in track(chosen, description="emulators", console=Console(stderr=True)):
            rom = case.rom().read_bytes()
            drawn, skipped = (references.probe.Game(case.name, rom, 1, 0) for _ in range(2))
            ale = ale_py.ALEInterface()
            ale.setInt("random_seed", 1)
            ale.setFloat("repeat_action_probability", 0)
            ale.loadROM(case.rom())
            times = self._play(case.name, ale, drawn, skipped, settings.rounds or 5)
            rows.append((case.name, *times))
        for name, ale, drawn, skipped in sorted(rows, key=lambda row: row[1] / row[2]):
            values = (ale, drawn, ale / drawn, skipped, ale / skipped)
            report.add(name, *(f"{value:.2f}" for value in values))
        if rows:
            means = [statistics.geometric_mean(row[1] / row[k] for row in rows) for k in (2, 3)]
            missed = "" if means[0] >= self.goal else " missed"
            report.notes = [
                f"geometric mean of {len(rows)} games: {figure(means[0])} times as fast as ALE "
                f"(goal {self.goal:g}{missed}), {figure(means[1])} with one of four frames drawn"
            ]
        return [report]

    def _play(self, name: str, ale: Any, drawn: Any, skipped: Any, rounds: int) -> list[float]:
        legal = [action.value for action in ale.getMinimalActionSet()]
        times: list[list[float]] = [[], [], []]
        draws = [i % self.held == self.held - 1 for i in range(self.frames)]
        for number in range(rounds + 1):
            actions = [
                legal[(i // self.held * 7919 + number) % len(legal)] for i in range(self.frames)
            ]
            ale.reset_game()
            drawn.reset()
            skipped.reset()
            seconds = (
                _ale_seconds(ale, actions),
                _our_seconds(drawn, actions, [True] * self.frames),
                _our_seconds(skipped, actions, draws),
            )
            if not (drawn.has_ram(ale.getRAM()) and skipped.has_ram(ale.getRAM())):
                raise RuntimeError(f"{name}: not the same game as ALE's")
            if number:  # before, caches were cold
                for out, value in zip(times, seconds, strict=True):
                    out.append(value / self.frames * 1e6)
        return [statistics.median(out) for out in times]


def _ale_seconds(game: Any, actions: Sequence[int]) -> float:
    begin = time.thread_time()
    for action in actions:
        game.act(action)
        if game.game_over():
            game.reset_game()
    return time.thread_time() - begin


def _our_seconds(game: Any, actions: Sequence[int], draws: Sequence[bool]) -> float:
    begin = time.thread_time()
    for action, draw in zip(actions, draws, strict=True):
        game.act(action, 1, draw)
        if game.game_over():
            game.reset()
    return time.thread_time() - begin


TABLES = [
    Comparison(
        f"Atari, {NUM_ENVS} environments",
        ("game", "mode", "threads"),
        [row(g, b, t) for g in GAMES for b in (NUM_ENVS, NUM_ENVS // 2) for t in thread_counts()],
        mean_goal=mean_goal,
    ),
    Figures(
        "Footprint of Pong-v5",
        [
            Figure(["make of 64 Pong-v5"], MAKE, ["ms"], [50], times=5),
            Figure(["memory of an environment beyond its results"], MEMORY, ["kB"], [100]),
            saved("", ""),
            saved(" of obs_type='ram'", "obs_type='ram'"),
        ],
    ),
    Emulators(),
]
