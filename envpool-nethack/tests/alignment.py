# SPDX-License-Identifier: Apache-2.0
"""A task beside nle's own environment, for tools/fidelity.py and for tests."""

from __future__ import annotations

import zlib
from typing import Any

import envpool
import numpy as np
from envpool.testing.fidelity import Comparison
from references import Case

UNIT = "steps"
ENDS = {1: "deaths", 2: "successes", -1: "cut"}


def align(
    case: Case, steps: int, seed: int = 0, num_envs: int | None = None, **options: Any
) -> Comparison:
    """Plays both with the same random actions and compares every array of every row.

    The clock is the machine's, as in the package, and so the comparison is for days without a new
    or full moon but by luck, as both see the same. `options` are for our side alone.
    """
    counts = ("steps", "games", *ENDS.values(), "changes of level")
    found = Comparison(dict.fromkeys(counts, 0))
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
        levels: list[set[tuple[int, int]]] = [set() for _ in packages]  # of this game
        rewards = np.zeros(num_envs, np.float32)
        over = np.zeros(num_envs, np.bool_)
        actions = np.zeros(num_envs, np.int32)
        place = np.zeros(num_envs, int)  # in the script
        for step in range(steps + 1):
            for i, package in enumerate(packages):
                where = f"with seed {seed} in env {i}, step {step}"
                if resets[i]:
                    names = ("core_seed", "disp_seed", "lgen_seed", "level")
                    expected = package.reset(*(int(info[name][i]) for name in names))
                    found.count("games")
                    levels[i].clear()
                    found.compare("ends", over[i], False, where)
                    over[i] = False
                else:
                    expected, reward, done, cut, status = package.step(int(actions[i]))
                    found.count("steps")
                    found.compare("reward exact", info["exact_reward"][i], reward, where)
                    found.compare("reward", rewards[i], np.float32(reward), where)
                    found.compare("ends status", info["end_status"][i], status, where)
                    found.compare("ends", over[i], done and not (cut and status == 0), where)
                    dungeon, level = expected["blstats"][[23, 24]].tolist()
                    if level > 0 and (dungeon, level) not in levels[i]:  # not the blank of an end
                        found.count("changes of level", bool(levels[i]))
                        levels[i].add((dungeon, level))
                    if done and status in ENDS:
                        found.count(ENDS[status])
                found.compare("observation", {k: obs[k][i] for k in expected}, expected, where)
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
                cut = info["end_status"][i] == -1
                found.compare("ends", truncated[i], cut, f"in env {i}, step {step}")
        for package in packages:
            package.close()
    return found
