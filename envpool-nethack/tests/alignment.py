# SPDX-License-Identifier: Apache-2.0
"""A task beside nle's own environment, for tools/fidelity.py and for tests."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import envpool
import numpy as np
from references import Case

UNIT = "steps"


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
    games: int = 0
    ends: dict[int, int] = field(default_factory=dict)
    levels: set[tuple[int, int, int, int]] = field(default_factory=set)
    arrays: Difference = field(default_factory=Difference)
    rewards: Difference = field(default_factory=Difference)
    statuses: Difference = field(default_factory=Difference)

    def columns(self) -> dict[str, str]:
        """Names and contents of the table's columns."""
        return {
            "steps": str(self.steps),
            "games": str(self.games),
            "deaths": str(self.ends.get(1, 0)),
            "successes": str(self.ends.get(2, 0)),
            "cut": str(self.ends.get(-1, 0)),
            "changes of level": str(len(self.levels) - len({row[:2] for row in self.levels})),
            "arrays": str(self.arrays),
            "rewards": str(self.rewards),
            "ends": str(self.statuses),
        }


def align(
    case: Case, steps: int, seed: int = 0, num_envs: int | None = None, **options: Any
) -> Alignment:
    """Plays both with the same random actions and compares every array of every row.

    The clock is the machine's, as in the package, and so the comparison is for days without a new
    or full moon but by luck, as both see the same. `options` are for our side alone.
    """
    found = Alignment()
    num_envs = num_envs or case.num_envs
    random = np.random.default_rng(zlib.crc32(f"{case} {seed}".encode()))
    config = {"clock": "real", "last_frame": "package", "observation_keys": case.keys}
    with envpool.make(
        case.task_id, num_envs=num_envs, seed=seed, **{**config, **case.options, **options}
    ) as pool:
        packages = [case.package() for _ in range(num_envs)]
        count = pool.action_space.n
        obs, info = pool.reset()
        resets = np.ones(num_envs, np.bool_)
        games = [0] * num_envs
        rewards = np.zeros(num_envs)
        over = np.zeros(num_envs, np.bool_)
        actions = np.zeros(num_envs, np.int32)
        place = np.zeros(num_envs, int)  # in the script
        for step in range(steps + 1):
            for i, package in enumerate(packages):
                where = f"seed {seed}, env {i}, step {step}"
                if resets[i]:
                    names = ("core_seed", "disp_seed", "lgen_seed", "level")
                    seeds = (int(info[name][i]) for name in names)
                    expected = package.reset(*seeds)
                    found.games += 1
                    games[i] += 1
                    found.statuses.note(bool(over[i]), where)
                    over[i] = False
                else:
                    expected, reward, done, cut, status = package.step(int(actions[i]))
                    found.steps += 1
                    found.rewards.note(reward != info["exact_reward"][i], where)
                    found.rewards.note(np.float32(reward) != rewards[i], where)
                    found.statuses.note(status != info["end_status"][i], where)
                    found.statuses.note(done != over[i] or (cut and status == 0), where)
                    dungeon, level = expected["blstats"][[23, 24]].tolist()
                    if level > 0:  # not the blank of an end
                        found.levels.add((i, games[i], dungeon, level))
                    if done:
                        found.ends[status] = found.ends.get(status, 0) + 1
                for key, array in expected.items():
                    found.arrays.note(not np.array_equal(array, obs[key][i]), f"{where}, {key}")
            if step == steps:
                break
            resets = over.copy()
            actions = random.integers(0, count, num_envs).astype(np.int32)
            if case.script:
                actions = np.array([case.script[at % len(case.script)] for at in place], np.int32)
                place = np.where(resets, 0, place + 1)
            obs, rewards, terminated, truncated, info = pool.step(actions)
            over = terminated | truncated
            # The limit is a truncation here, and an end there.
            for i in np.flatnonzero(over):
                found.statuses.note(
                    (info["end_status"][i] == -1) == bool(terminated[i]), f"env {i}, step {step}"
                )
        for package in packages:
            package.close()
    return found
