# SPDX-License-Identifier: Apache-2.0
"""Random scenarios, players, options and actions: no crash, and no leaked memory.

The session `sweep` runs this file under AddressSanitizer, the engine included.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import WorkerError
from envpool_gfootball._scenario import Builder
from envpool_gfootball.scenarios import Team
from sampling import FULL

_FIVE = "gfootball/5_vs_5-v1"
_CLOSE = "gfootball/academy_empty_goal_close-v1"
STEPS = int(os.environ.get("ENVPOOL_STORM_STEPS", "100000" if FULL else "800"))
CYCLES = 1000 if FULL else 40
_FLAGS = ("offsides", "end_episode_on_score", "end_episode_on_out_of_play", "deterministic")
_LEFT, _RIGHT = (f"number_of_{side}_players_agent_controls" for side in ("left", "right"))


def _scenario(rng: np.random.Generator) -> tuple[Callable[[Builder], None], list[int]]:
    """A valid scenario, and the number of players per side that agents may play."""
    kind = rng.choice(["any", "one place", "keepers", "lazy"])
    teams = []
    for _ in range(2):
        places = rng.uniform([-1.1, -0.48], [1.1, 0.48], (int(rng.integers(0, 12)), 2))
        if kind == "one place":
            places[:] = places[:1]
        roles = rng.integers(0, 10, len(places))
        roles[:1] = 0
        if kind == "keepers":
            roles[:] = 0
        flags = rng.random((len(places), 2)) < (1.0 if kind == "lazy" else 0.2, 0.8)
        teams.append((places.tolist(), roles.tolist(), flags.tolist()))
    ball = rng.uniform([-1.1, -0.48], [1.1, 0.48]).tolist()
    rules = {name: bool(rng.random() < 0.3) for name in _FLAGS}
    strengths = rng.random(2).tolist()
    second_half = int(rng.integers(1, 60))

    def build(builder: Builder) -> None:
        config = builder.config()
        for name, value in rules.items():
            setattr(config, name, value)
        config.game_duration = 50
        config.second_half = second_half
        config.left_team_difficulty, config.right_team_difficulty = strengths
        builder.SetBallPosition(*ball)
        for side, players in zip((Team.e_Left, Team.e_Right), teams, strict=True):
            builder.SetTeam(side)
            for (x, y), role, (lazy, controllable) in zip(*players, strict=True):
                builder.AddPlayer(x, y, role, lazy, controllable)

    playable = [sum(flag[1] for flag in flags) if flags else 1 for _, _, flags in teams]
    return build, playable


def _options(rng: np.random.Generator) -> dict[str, Any]:
    while True:
        scenario, playable = _scenario(rng)
        agents = [int(rng.integers(0, count + 1)) for count in playable]
        if sum(agents):
            break
    return {
        "scenario": scenario,
        _LEFT: agents[0],
        _RIGHT: agents[1],
        "observation": str(rng.choice(["raw", "smm", "simple115v2"])),
        "action_set": str(rng.choice(["default", "v2", "full"])),
        "rewards": str(rng.choice(["scoring", "scoring,checkpoints"])),
        "physics_steps_per_frame": int(rng.choice([1, 5, 10, 10, 10, 30, 100])),
        "num_threads": 2,
    }


@pytest.mark.timeout(20000)
def test_random_scenarios() -> None:
    """Games move between threads; an engine's fault is an error, and its game starts again."""
    rng = np.random.default_rng(0)
    played = 0
    faults: list[str] = []
    while played < STEPS:
        options = _options(rng)
        with envpool.make(_FIVE, num_envs=2, seed=played, **options) as pool:
            pool.reset()
            rows = 2 * (options[_LEFT] + options[_RIGHT])
            actions = {"default": 19, "v2": 20, "full": 33}[options["action_set"]]
            for step in range(60):
                try:
                    obs, reward, *_ = pool.step(rng.integers(0, actions, rows).astype(np.int32))
                except WorkerError as error:
                    faults.append(str(error))
                    pool.reset()
                    continue
                arrays = obs.values() if isinstance(obs, dict) else [obs]
                assert all(np.isfinite(array).all() for array in (*arrays, reward))
                if step == 30:
                    pool.load_state(pool.save_state()[::-1])
            played += 120
    assert all("the football engine cannot go on" in text for text in faults)
    print(f"{played} steps, {len(faults)} faults", *sorted(set(faults)), sep="\n")


def _memory() -> int:
    rows = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(row.split()[1]) for row in rows if row.startswith("Private")) * 1024


@pytest.mark.timeout(20000)
def test_pools_leave_nothing() -> None:
    """A game is 1 MB: four leaked games would be seen."""
    before = 0
    for cycle in range(CYCLES + 20):
        if cycle == 20:
            gc.collect()
            before = _memory()
        with envpool.make(_CLOSE, seed=cycle) as pool:
            pool.reset()
            pool.step(np.array([12]))
    gc.collect()
    assert _memory() - before < 3e6
