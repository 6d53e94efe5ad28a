# SPDX-License-Identifier: Apache-2.0
"""What a parent and its workers send each other over sockets, and how it is pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from envpool.errors import ConfigError, shorten

if TYPE_CHECKING:
    from gymnasium import Space

    from ._python import SlotLayout

LOG_BYTES = 1 << 16
"""Size of the place in the shared file that one start of a worker has for its log."""


@dataclass
class EnvDescription:
    """What a worker has found out about an environment.

    Attributes:
        name: What to call it.
        observation_space: Of one environment, or of one player.
        action_space: Likewise.
        agents: The names of its players; empty if it is no environment of several.
        turn_agents: Likewise where players take turns, so that a row is the one to act.
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
    turn_agents: tuple[Any, ...] = ()
    render_modes: tuple[str, ...] = ()
    render_fps: float | None = None
    max_episode_steps: int | None = None
    reward_threshold: float | None = None
    agent_num: int = 1


@dataclass
class WorkerSeeds:
    """Where a worker's random numbers come from.

    Attributes:
        pool: The seeds of the pool.
        worker: The number of the worker.
        start: How often a worker of this number was started before.
    """

    pool: tuple[int, ...]
    worker: int
    start: int


@dataclass
class WorkerSetup:
    """What a worker needs to serve its part of a pool.

    Attributes:
        worker: Its number.
        env_ids: The environments that it has.
        num_envs: How many the pool has.
        num_workers: Likewise.
        description: What the first environment is like.
        observation_mode: "same", or "different" if bounds of observations may differ.
        state: The arrays of a result, for the layout of shared memory.
        action: The arrays of an action.
        max_players: Most players of an environment.
        log_at: Where in the shared file it writes tracebacks when it cannot do anything else.
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
        """Where the arrays lie."""
        from . import _python

        return _python.SlotLayout(self.state, self.action, self.max_players)


def pickled(value: Any, asked: str, what: str = "an environment's factory") -> bytes:
    """Something as bytes; functions of the main program as what is in them.

    Args:
        value: What a worker is to have.
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
