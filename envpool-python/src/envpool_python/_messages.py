# SPDX-License-Identifier: Apache-2.0
"""The messages between a parent and its workers, and their pickling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envpool.errors import ConfigError, shorten

if TYPE_CHECKING:
    from gymnasium import Space

    from ._python import SlotLayout

LOG_BYTES = 1 << 16
"""Bytes in the shared file for the log of one start of a worker."""


@dataclass
class EnvDescription:
    """A worker's description of an environment.

    Attributes:
        name: The environment's name.
        observation_space: Space of one environment, or of one player.
        action_space: Space of one environment, or of one player.
        agents: The names of its players; empty if it has one player.
        turn_agents: The names of players who take turns, so that a row is the acting player.
        render_modes: The render modes that it declares.
        render_fps: Frames per second that it declares, or None.
        max_episode_steps: The step limit of its registration, or None.
        reward_threshold: The threshold of its registration, or None.
        agent_num: The number of agents that it declares.
    """

    name: str
    observation_space: Space[Any]
    action_space: Space[Any]
    agents: tuple[Any, ...] = ()
    turn_agents: tuple[Any, ...] = ()
    render_modes: tuple[str, ...] = ()
    render_fps: float | None = None
    max_episode_steps: int | None = None
    reward_threshold: float | None = None
    agent_num: int = 1


@dataclass
class WorkerSeeds:
    """The sources of a worker's random numbers.

    Attributes:
        pool: The seeds of the pool.
        worker: The number of the worker.
        start: The number of earlier starts of a worker of this number.
    """

    pool: tuple[int, ...]
    worker: int
    start: int


@dataclass
class WorkerSetup:
    """A worker's settings for its part of a pool.

    Attributes:
        worker: Its number.
        env_ids: The environments of this worker.
        num_envs: Number of environments of the pool.
        num_workers: Number of workers of the pool.
        description: The description of the first environment.
        observation_mode: "same", or "different" if bounds of observations may differ.
        state: The arrays of a result, for the layout of shared memory.
        action: The arrays of an action.
        max_players: Largest number of players of an environment.
        log_at: Offset in the shared file for tracebacks of crashes.
    """

    worker: int
    env_ids: range
    num_envs: int
    num_workers: int
    description: EnvDescription
    observation_mode: str
    state: list[tuple[Any, ...]]
    action: list[tuple[Any, ...]]
    max_players: int
    log_at: int

    def layout(self) -> SlotLayout:
        """The layout of the arrays in a slot."""
        from . import _python

        return _python.SlotLayout(self.state, self.action, self.max_players)


def pickled(value: Any, asked: str, what: str = "an environment's factory") -> bytes:
    """Pickles a value; functions of the main program are pickled by value.

    Args:
        value: The value for a worker.
        asked: The call of the user, for messages.
        what: A name for it.

    Raises:
        ConfigError: If it cannot be pickled.
    """
    import cloudpickle  # type: ignore[import-untyped]

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as cause:
        raise ConfigError(
            asked,
            f"{what} that cannot be pickled, {type(cause).__name__}: {shorten(str(cause))}",
            "functions whose arguments and captured variables can be pickled: no locks, open "
            "files, sockets, generators or CUDA tensors",
            "Make such things inside the function, so that they are made in the worker process",
        ) from cause
