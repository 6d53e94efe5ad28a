# SPDX-License-Identifier: Apache-2.0
"""AsyncVectorEnv: environments that functions make, in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
from envpool.errors import ConfigError

from .._crew import START_METHODS
from .._tasks import make
from .pool_venv import PoolVecEnv


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
            env_fns: Functions, each of which makes an environment.
            observation_space: That of one environment, to be checked; None: whatever it is.
            action_space: Likewise.
            shared_memory: Accepted; memory is always shared.
            copy: Accepted; results are never written again.
            context: How workers start: "forkserver" (None) or "spawn".
            daemon: Accepted; workers always end with the parent.
            worker: None: workers have a loop of their own.
            render_mode: None, "rgb_array" or "human"; the environments are made by their functions.
            auto_reset: Whether an episode that ends is followed by the next one in the same step.
            **config: Further options of the pool: num_workers, on_error, step_timeout.

        Raises:
            ConfigError: If an argument is wrong, or a space is not that of the environments.
            WorkerError: If an environment cannot be made.
        """
        del shared_memory, copy, daemon
        if worker is not None:
            raise ConfigError(
                "AsyncVectorEnv(worker=...)",
                "a worker function",
                "None: workers speak through shared memory, and have a loop of their own",
                "Leave worker out; what it did can be done by a wrapper of the environment",
            )
        if context not in (None, *START_METHODS):
            raise ConfigError(
                f"AsyncVectorEnv(context={context!r})",
                repr(context),
                f"None, {', '.join(map(repr, START_METHODS))}",
                "Use 'forkserver', which starts as fast as 'fork' and copies no threads",
            )
        pool = make(
            env_fns,
            "vector",
            autoreset_mode="same_step" if auto_reset else "disabled",
            start_method=context or "forkserver",
            render_mode=None if render_mode is None else render_mode.removeprefix("group_"),
            **config,
        )
        super().__init__(pool)
        for name, wanted in (
            ("observation_space", observation_space),
            ("action_space", action_space),
        ):
            found = getattr(self, name)
            if wanted is not None and wanted != found:
                self.close(terminate=True)
                raise ConfigError(
                    f"AsyncVectorEnv({name}={wanted})",
                    f"environments that have {found}",
                    "their own space, or None",
                    f"Leave {name} out",
                )

    @property
    def env_name(self) -> str:
        """What the first environment calls itself, as "CartPole-v1"."""
        return str(self.pool._compiled.described.name)

    @property
    def agent_num(self) -> int:
        """What an environment says as `agent_num`; 1, if it says nothing."""
        return int(self.pool._compiled.described.agent_num)
