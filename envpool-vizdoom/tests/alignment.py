# SPDX-License-Identifier: Apache-2.0
"""A game beside its reference, for tools/fidelity.py and for tests."""

from __future__ import annotations

from typing import Any

import envpool
import envpool_vizdoom
import numpy as np
from envpool.testing.fidelity import Comparison, play_beside
from references import FRAME_SKIP, Case, doom_game, planes, variable

UNIT = "steps"
SEED = 5
# The engine does not set them back; a pool counts them from the begin of an episode.
_COUNTERS = ("HITCOUNT", "DAMAGECOUNT", "DEATHCOUNT")
# All are drawn at this size, and end as the engine says.
_OPTIONS = {"img_width": 320, "img_height": 240, "max_episode_steps": 1 << 30, "stack_num": 1}


class Reference:
    """A game of ViZDoom's client, which shows no frame when it is over."""

    def __init__(self, game: Any, variables: list[str]) -> None:
        """Takes a game that has begun."""
        self.game, self.variables, self.begun = game, variables, True

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; the first one has begun, from the seed that the game was made with."""
        del seed
        if not self.begun:
            self.game.new_episode()
        self.begun = False
        self.base = {name: variable(self.game, name) for name in _COUNTERS}
        return planes(self.game.get_state().screen_buffer), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As many frames as the pool skips."""
        reward = self.game.make_action(list(action), FRAME_SKIP)
        values = {
            name: variable(self.game, name) - self.base.get(name, 0) for name in self.variables
        }
        over = self.game.is_episode_finished()
        by_time = over and self.game.is_episode_timeout_reached()
        frame = None if over else planes(self.game.get_state().screen_buffer)
        return frame, reward, over and not by_time, by_time, values


def align(case: Case, steps: int) -> Comparison:
    """Plays both with the same random actions, from reset to reset."""
    random = np.random.default_rng(SEED)
    with (
        envpool.make(
            case.task_id, num_envs=1, seed=SEED, **_OPTIONS, **case.pool_options()
        ) as pool,
        doom_game(case.cfg, SEED, case.settings) as game,
    ):
        names = envpool_vizdoom.action_meanings(pool.spec)
        # Each button is pressed half of the time; those that say how far go some degrees.
        low = [-3 if name.endswith("_DELTA") else 0 for name in names]
        high = [4 if name.endswith("_DELTA") else 2 for name in names]
        arrays = [key.removeprefix("info:") for key in pool.spec.state_array_spec]
        return play_beside(
            pool,
            [Reference(game, [name for name in arrays if name.isupper()])],
            steps=steps,
            choose=lambda *_: random.integers(low, high).astype(np.float64),
            also=lambda found, row: found.count("by time", row.references[0].truncated),
        )
