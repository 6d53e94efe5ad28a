# SPDX-License-Identifier: Apache-2.0
"""A game beside its reference, for tools/fidelity.py and for tests."""

from __future__ import annotations

from dataclasses import dataclass, field

import envpool
import envpool_vizdoom
import numpy as np
from references import FRAME_SKIP, Case, doom_game, planes, variable

UNIT = "steps"
SEED = 5
# The engine does not set them back; a pool counts them from the begin of an episode.
_COUNTERS = ("HITCOUNT", "DAMAGECOUNT", "DEATHCOUNT")


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
    ends: int = 0
    time_outs: int = 0
    frames: Difference = field(default_factory=Difference)
    rewards: Difference = field(default_factory=Difference)
    variables: Difference = field(default_factory=Difference)
    episodes: Difference = field(default_factory=Difference)

    def columns(self) -> dict[str, str]:
        """Names and contents of the table's columns."""
        return {
            "steps": str(self.steps),
            "episodes ended": str(self.ends),
            "by time": str(self.time_outs),
            "frames": str(self.frames),
            "rewards": str(self.rewards),
            "variables": str(self.variables),
            "ends": str(self.episodes),
        }


def align(case: Case, steps: int) -> Alignment:
    """Plays both with the same random actions, from reset to reset, and compares everything."""
    found = Alignment()
    with envpool.make(
        case.task_id, num_envs=1, seed=SEED, stack_num=1, **_size(case), **case.pool_options()
    ) as pool:
        names = envpool_vizdoom.action_meanings(pool.spec)
        with doom_game(case.cfg, SEED, case.settings) as game:
            random = np.random.default_rng(SEED)
            obs, info = pool.reset()
            base = {name: variable(game, name) for name in _COUNTERS}
            for step in range(steps):
                where = f"step {step}"
                found.frames.note(
                    not np.array_equal(obs[0], planes(game.get_state().screen_buffer)), where
                )
                action = _action(random, names)
                reward = game.make_action(list(action), FRAME_SKIP)
                obs, rewards, terminated, truncated, info = pool.step(action[None])
                found.steps += 1
                found.rewards.note(rewards[0] != np.float32(reward), where)
                for name in _variables(info):
                    value = variable(game, name) - base.get(name, 0)
                    found.variables.note(info[name][0] != value, f"{name} in {where}")
                over = game.is_episode_finished()
                by_time = over and game.is_episode_timeout_reached()
                found.episodes.note((terminated[0] or truncated[0]) != over, where)
                found.episodes.note(truncated[0] != by_time, where)
                if terminated[0] or truncated[0] or over:
                    found.ends += 1
                    found.time_outs += by_time
                    game.new_episode()
                    base = {name: variable(game, name) for name in _COUNTERS}
                    obs, *_ = pool.step(action[None])
    return found


def _size(case: Case) -> dict[str, int]:
    del case  # all are drawn at this size
    return {"img_width": 320, "img_height": 240, "max_episode_steps": 1 << 30}


def _action(random: np.random.Generator, names: tuple[str, ...]) -> np.ndarray:
    """Each button is pressed half of the time; those that say how far go some degrees."""
    return np.array(
        [
            random.integers(-3, 4) if name.endswith("_DELTA") else random.integers(0, 2)
            for name in names
        ],
        np.float64,
    )


def _variables(info: dict[str, object]) -> list[str]:
    return [name for name in info if name.isupper()]
