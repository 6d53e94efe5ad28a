# SPDX-License-Identifier: Apache-2.0
"""jumanji: observations are dicts with the names of their fields, including action masks.

Discount 0 in a last step is termination, another discount truncation. Rewards of several agents are
summed; the info has them as "rewards". `env_kwargs` go to `jumanji.make`.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
from gymnasium import spaces

from ..protocol import Step
from ._frames import of_figure
from ._library import LibraryEnv, lister, require

# The ids of jumanji 1.1.2, without the three Sudoku and Sokoban ids, which need downloads.
TASKS = [
    "BinPack-v2",
    "CVRP-v1",
    "Cleaner-v0",
    "Connector-v3",
    "FlatPack-v0",
    "Game2048-v1",
    "GraphColoring-v1",
    "JobShop-v0",
    "Knapsack-v1",
    "LevelBasedForaging-v0",
    "MMST-v0",
    "Maze-v0",
    "Minesweeper-v0",
    "MultiCVRP-v0",
    "PacMan-v1",
    "RobotWarehouse-v0",
    "RubiksCube-partly-scrambled-v0",
    "RubiksCube-v0",
    "SearchAndRescue-v0",
    "SlidingTilePuzzle-v0",
    "Snake-v1",
    "TSP-v1",
    "Tetris-v0",
]
# The attributes in which environments keep their viewer: each has one of these.
VIEWERS = ("_viewer", "_env_viewer", "viewer")


list_tasks = lister("jumanji", TASKS)


def load(task: str, **env_kwargs: Any) -> JumanjiEnv:
    """The environment of `jumanji.make`."""
    jumanji: Any = importlib.import_module("jumanji")
    require(task, jumanji.registered_environments(), "registered_environments()")
    return JumanjiEnv(jumanji.make(task, **env_kwargs))


class JumanjiEnv(LibraryEnv):
    """A `JaxEnv`."""

    def __init__(self, env: Any) -> None:
        """Keeps the environment."""
        super().__init__(env)
        viewers = (getattr(env.unwrapped, name, None) for name in VIEWERS)
        self._viewer: Any = next(filter(None, viewers), None)
        if self._viewer is not None and not self._is("MMST"):  # its viewer draws a white frame
            self.render = self._drawn

    @functools.cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """The spec as a space."""
        space = _space(self._env.observation_spec)
        if self._is("TSP"):
            assert isinstance(space, spaces.Dict)
            # The position is -1 before the first city; the spec leaves this out.
            position: Any = space["position"]
            space["position"] = spaces.Discrete(int(position.n) + 1, start=-1)
        return space

    @functools.cached_property
    def action_space(self) -> spaces.Space[Any]:
        """The spec as a space."""
        return _space(self._env.action_spec)

    def reset(self, key: Any, /) -> tuple[Any, Any, Any]:
        """A new episode."""
        state, step = self._env.reset(key)
        return state, step.observation, _info(step)

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """A step; the environment's own key is in its state."""
        state, step = self._env.step(state, action)
        over = step.step_type == 2
        dead = (step.discount == 0).all()
        return state, Step(
            step.observation, step.reward.sum(), over & dead, over & ~dead, _info(step)
        )

    def _is(self, name: str) -> bool:
        """True if it is jumanji's own environment of this name."""
        env = type(self._env.unwrapped)
        return env.__name__ == name and env.__module__.startswith("jumanji.")

    def _drawn(self, state: Any) -> Any:
        """The viewer's picture. By default the viewer would show it on a screen."""
        figure: list[Any] = []
        self._viewer._display = figure.append
        jax: Any = importlib.import_module("jax")
        self._env.unwrapped.render(jax.tree.map(jax.numpy.asarray, state))  # some compute with it
        return of_figure(figure[0])


def _info(step: Any) -> dict[str, Any]:
    info = {key: value for key, value in (step.extras or {}).items() if key != "next_obs"}
    return info if step.reward.ndim == 0 else info | {"rewards": step.reward}


def _space(spec: Any) -> spaces.Space[Any]:
    kind = type(spec).__name__
    if kind == "DiscreteArray":
        return spaces.Discrete(int(spec.num_values))
    if kind == "MultiDiscreteArray":
        return spaces.MultiDiscrete(np.asarray(spec.num_values), dtype=np.int32)
    if not hasattr(spec, "shape"):
        return spaces.Dict({key: _space(one) for key, one in spec._specs.items()})
    dtype: Any = np.dtype(spec.dtype)
    if dtype == np.bool_:
        return spaces.MultiBinary(spec.shape)
    low: Any = getattr(spec, "minimum", -np.inf if dtype.kind == "f" else None)
    high: Any = getattr(spec, "maximum", np.inf if dtype.kind == "f" else None)
    if low is None:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    low, high = (np.broadcast_to(np.asarray(b).astype(dtype), spec.shape) for b in (low, high))
    return spaces.Box(low, high, spec.shape, dtype.type)
