# SPDX-License-Identifier: Apache-2.0
"""AsyncVectorEnv: environments that functions return, in worker processes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
from envpool.errors import ConfigError

from .._make import make
from .._options import START_METHODS
from .base_venv import AsyncState, check_spaces
from .own_worker import OwnWorker, tell
from .pool_venv import Call, PoolVecEnv

__all__ = ["AsyncState", "AsyncVectorEnv"]


class AsyncVectorEnv(PoolVecEnv):
    """Environments in worker processes, several in each.

    Attributes:
        See `PoolVecEnv`.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], gymnasium.Env[Any, Any]]],
        observation_space: gymnasium.Space[Any] | None = None,
        action_space: gymnasium.Space[Any] | None = None,
        shared_memory: bool = False,
        copy: bool = True,
        context: str | None = None,
        daemon: bool = True,
        worker: Callable[..., Any] | None = None,
        render_mode: str | None = None,
        auto_reset: bool = True,
        **config: Any,
    ) -> None:
        """Starts the workers.

        Args:
            env_fns: Functions that each return an environment.
            observation_space: The expected space of one environment; None: any.
            action_space: The expected action space of one environment; None: any.
            shared_memory: Accepted; memory is always shared.
            copy: Accepted; results are never written again.
            context: The start method of workers: "forkserver" (None) or "spawn".
            daemon: Accepted; workers always end with the parent.
            worker: A function that runs each environment in place of the pool's loop, as one of
            OpenRL's; see `own_worker`. None: the pool's loop, which is faster.
            render_mode: None or one of `metadata["render.modes"]`. The functions make the
            environments, which must draw arrays.
            auto_reset: True if the next episode begins in the step that ends an episode.
            **config: Further options of the pool: num_workers, on_error, step_timeout.

        Raises:
            ConfigError: If an argument is wrong, or a space differs from the environments'.
            WorkerError: If an environment cannot be made.
        """
        del shared_memory, copy, daemon
        if context not in (None, *START_METHODS):
            raise ConfigError(
                f"AsyncVectorEnv(context={context!r})",
                repr(context),
                f"None, {', '.join(map(repr, START_METHODS))}",
                "Use 'forkserver': it forks, too, but a process without threads and locks",
            )
        self._has_own_worker = worker is not None
        if worker is not None:
            env_fns = [
                functools.partial(OwnWorker, worker, i, make_env, auto_reset)
                for i, make_env in enumerate(env_fns)
            ]
        super().__init__(
            make(
                env_fns,
                "vector",
                autoreset_mode="same_step" if auto_reset else "disabled",
                start_method=context or "forkserver",
                render_mode=None if render_mode is None else "rgb_array",
                **config,
            ),
            render_mode,
        )
        try:
            check_spaces("AsyncVectorEnv", self, observation_space, action_space)
        except ConfigError:
            self.close(terminate=True)
            raise

    @property
    def env_name(self) -> str:
        """The first environment's name, as "CartPole-v1"."""
        return str(self.pool.compiled.description.name)

    @property
    def agent_num(self) -> int:
        """The environment's `agent_num`, or 1."""
        return int(self.pool.compiled.description.agent_num)

    def _send_calls(self, asked: str, calls: list[Call]) -> None:
        if self._has_own_worker:
            calls = [(env_id, tell, given, {}) for env_id, *given in calls]  # type: ignore[misc]
        super()._send_calls(asked, calls)
