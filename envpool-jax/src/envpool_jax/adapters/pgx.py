# SPDX-License-Identifier: Apache-2.0
"""pgx: a row is the player whose turn it is.

The observation is that player's, the reward is that of the player who has just moved, and the info
has "current_player", "legal_action_mask" and "rewards", of all players. An illegal action ends the
game, as in pgx. `env_kwargs` go to `pgx.make`; classes with arguments are "jax:pgx.go:Go".
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from gymnasium import spaces

from ..protocol import Step
from ._frames import of_svg
from ._library import LibraryEnv, lister, require

TASKS = [
    "2048",
    "animal_shogi",
    "backgammon",
    "chess",
    "connect_four",
    "gardner_chess",
    "go_9x9",
    "go_19x19",
    "hex",
    "kuhn_poker",
    "leduc_holdem",
    "minatar-asterix",
    "minatar-breakout",
    "minatar-freeway",
    "minatar-seaquest",
    "minatar-space_invaders",
    "othello",
    "shogi",
    "sparrow_mahjong",
    "tic_tac_toe",
]  # pgx 2.6, without bridge, which needs a download


list_tasks = lister("pgx", TASKS)


def load(task: str, **env_kwargs: Any) -> PgxEnv:
    """The environment of `pgx.make`."""
    pgx: Any = importlib.import_module("pgx")
    require(task, pgx.available_envs(), "available_envs()")
    return PgxEnv(pgx.make(task, **env_kwargs))


class PgxEnv(LibraryEnv):
    """A `JaxEnv`."""

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """The space of `init`'s observation."""
        jax: Any = importlib.import_module("jax")
        seen = jax.eval_shape(self._env.init, jax.random.PRNGKey(0)).observation
        if seen.dtype == np.bool_:
            return spaces.MultiBinary(seen.shape)
        dtype: Any = np.dtype(seen.dtype)
        low, high = (
            (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        )
        return spaces.Box(low, high, seen.shape, dtype.type)

    @functools.cached_property
    def action_space(self) -> spaces.Space[Any]:
        """All moves, legal or not."""
        return spaces.Discrete(int(self._env.num_actions))

    def reset(self, key: Any, /) -> tuple[Any, Any, Any]:
        """A new game."""
        state = self._env.init(key)
        return state, state.observation, _info(state)

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """A move."""
        mover = state.current_player
        state = self._env.step(state, action, key)
        return state, Step(
            state.observation,
            state.rewards[mover],
            state.terminated,
            state.truncated,
            _info(state),
        )

    def render(self, state: Any) -> Any:
        """The board, as pgx draws it; needs cairosvg."""
        jax: Any = importlib.import_module("jax")
        return of_svg(jax.tree.map(jax.numpy.asarray, state).to_svg())  # some compute with it


def _info(state: Any) -> dict[str, Any]:
    return {
        "current_player": state.current_player,
        "legal_action_mask": state.legal_action_mask,
        "rewards": state.rewards,
    }
