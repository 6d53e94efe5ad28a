# SPDX-License-Identifier: Apache-2.0
"""What a parent tells its workers, and what they tell it: how environments are made, what they are.

All of it is pickled, and the parent never calls `make`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymnasium import Space

    from ._python import Layout


class Recipe:
    """How environment i of a pool is made."""

    def preload(self) -> None:
        """Imports what `make` is going to need, and nothing else."""

    def make(self, env_id: int) -> Any:
        """A new environment."""
        raise NotImplementedError


@dataclass
class GymnasiumTask(Recipe):
    """What `gymnasium.make` makes.

    Attributes:
        task: An id, or a `gymnasium.envs.registration.EnvSpec`.
        kwargs: Arguments of `gymnasium.make`.
    """

    task: Any
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def preload(self) -> None:
        """Imports the module of the environment."""
        import gymnasium

        entry = getattr(self.task, "entry_point", None)
        if entry is None:
            entry = gymnasium.spec(self.task).entry_point
        if isinstance(entry, str):
            importlib.import_module(entry.partition(":")[0])

    def make(self, env_id: int) -> Any:
        """A new environment; Gymnasium's checks are done by the first one only."""
        import gymnasium

        return gymnasium.make(
            self.task, disable_env_checker=True if env_id else None, **self.kwargs
        )


@dataclass
class Factories(Recipe):
    """What functions of the user's make: the i-th function environment i.

    Attributes:
        env_fns: Functions without arguments.
    """

    env_fns: Sequence[Callable[[], Any]]

    def make(self, env_id: int) -> Any:
        """What the function returns."""
        return self.env_fns[env_id]()


@dataclass
class Described:
    """What a worker has found out about an environment.

    Attributes:
        name: What to call it.
        observation_space: Of one environment, or of one player.
        action_space: Likewise.
        agents: The names of its players; empty if it is no environment of several.
        render_modes: Those that it has announced.
        render_fps: Frames per second that it wishes; None if it does not say.
        max_episode_steps: The limit that it was registered with, if any.
        reward_threshold: Likewise.
        agent_num: How many agents it says that act in it.
    """

    name: str
    observation_space: Space[Any]
    action_space: Space[Any]
    agents: tuple[Any, ...] = ()
    render_modes: tuple[str, ...] = ()
    render_fps: float | None = None
    max_episode_steps: int | None = None
    reward_threshold: float | None = None
    agent_num: int = 1


@dataclass
class Serving:
    """What a worker needs to serve its part of a pool.

    Attributes:
        worker: Its number.
        env_ids: The environments that it has.
        num_envs: How many the pool has.
        num_workers: Likewise.
        described: What the first environment is like.
        state: The arrays of a result, for the layout of shared memory.
        action: The arrays of an action.
        max_players: Most players of an environment.
    """

    worker: int
    env_ids: range
    num_envs: int
    num_workers: int
    described: Described
    state: list[tuple[Any, ...]]
    action: list[tuple[Any, ...]]
    max_players: int

    def layout(self) -> Layout:
        """Where the arrays lie."""
        from . import _python

        return _python.Layout(self.state, self.action, self.max_players)
