# SPDX-License-Identifier: Apache-2.0
"""A task beside the package's own environment, for tools/fidelity.py and for tests."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import envpool
import numpy as np
from references import Case, Package

UNIT = "steps"
NUM_ENVS = 4
SEEDS = (0, 7, 1234)
INFOS = ("prev_level_seed", "prev_level_complete", "level_seed")


@dataclass
class Difference:
    """How often something differed, and where first."""

    count: int = 0
    first: str = ""

    def note(self, differs: bool, where: str) -> None:
        """Counts one."""
        if differs:
            self.count += 1
            self.first = self.first or where

    def __str__(self) -> str:
        """For the table."""
        return f"{self.count} differ, the first: {self.first}" if self.count else "equal"


@dataclass
class Alignment:
    """What was compared and what differed."""

    steps: int = 0
    episodes: int = 0
    frames: Difference = field(default_factory=Difference)
    rewards: Difference = field(default_factory=Difference)
    ends: Difference = field(default_factory=Difference)
    infos: Difference = field(default_factory=Difference)

    def columns(self) -> dict[str, str]:
        """Names and contents of the table's columns."""
        return {
            "steps": str(self.steps),
            "episodes ended": str(self.episodes),
            "frames": str(self.frames),
            "rewards": str(self.rewards),
            "ends": str(self.ends),
            "infos": str(self.infos),
        }


def align(
    case: Case,
    steps: int,
    seeds: Sequence[int] = SEEDS,
    modes: Sequence[str] = ("same_step", "next_step"),
    **options: Any,
) -> Alignment:
    """Plays both with the same random actions and compares everything.

    The package has no row for the last frame of an episode. So with "next_step" the frame of that
    row is not compared here, and the package waits while the pool hands over the next episode.
    """
    found = Alignment()
    for seed in seeds:
        for mode in modes:
            _play(case, steps, seed, mode, found, options)
    return found


def _play(
    case: Case, steps: int, seed: int, mode: str, found: Alignment, options: dict[str, Any]
) -> None:
    random = np.random.default_rng(zlib.crc32(f"{case} {seed}".encode()))
    config = {**case.options, "engine": case.engine, **options}
    package = Package(case, NUM_ENVS, seed)
    with envpool.make(
        case.task_id, num_envs=NUM_ENVS, seed=seed, autoreset_mode=mode, **config
    ) as pool:
        obs, info = pool.reset()
        waits = np.zeros(NUM_ENVS, np.bool_)
        rows = package.look()
        for i, (_, _, frame, known) in enumerate(rows):
            found.frames.note(not np.array_equal(obs[i], frame), f"env {i} after reset")
            found.infos.note(any(info[key][i] != known[key] for key in INFOS), "reset")
        for step in range(steps):
            actions = random.integers(0, 15, NUM_ENVS).astype(np.int32)
            for env, action, wait in zip(package.envs, actions, waits, strict=True):
                if not wait:
                    env.act(np.array([action]))
            obs, rewards, terminated, truncated, info = pool.step(actions)
            for i, (reward, first, frame, known) in enumerate(package.look()):
                where = f"seed {seed}, {mode}, env {i}, step {step}"
                ended = bool(terminated[i] or truncated[i])
                if waits[i]:  # what the package had shown before
                    reward, first = np.float32(0), False
                shows_last = ended and mode == "next_step"
                found.steps += not waits[i]
                found.episodes += ended
                found.rewards.note(rewards[i] != reward, where)
                found.ends.note(ended != first, where)
                found.frames.note(not shows_last and not np.array_equal(obs[i], frame), where)
                if shows_last:
                    known = known | {"level_seed": known["prev_level_seed"]}
                found.infos.note(any(info[key][i] != known[key] for key in INFOS), where)
                waits[i] = shows_last
    package.close()
