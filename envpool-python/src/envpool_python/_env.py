# SPDX-License-Identifier: Apache-2.0
"""PythonEnv: the backend for environments written in Python."""

from __future__ import annotations

import functools
import os
import resource
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from envpool.errors import ConfigError, suggest
from envpool.pool_backend import EnvBackend

from . import _python
from ._env_calls import EnvCalls
from ._messages import EnvDescription, WorkerSetup
from ._options import ASYNC_WORKERS_PER_CPU, OBSERVATION_MODES, ON_ERROR, OWN_OPTIONS, START_METHODS
from ._pool import WorkerPool
from ._recipes import Recipe
from ._spaces import ID_KEYS, SpaceLeaf, array_of, leaves_of, mask_of
from ._worker_processes import WorkerProcesses

_HIDDEN = ("layout", "endpoint", "restart", "autoreset_mode")
_PLAYERS = (
    ("info:players.id", np.dtype(np.int32)),
    ("info:players.terminated", np.dtype(np.bool_)),
    ("info:players.truncated", np.dtype(np.bool_)),
)

MakeRecipe = Callable[[Mapping[str, Any]], Recipe]
"""A function from options to the recipe for the environments."""


class PythonEnv(EnvBackend):
    """The backend of environments in worker processes.

    The first access to its arrays starts a worker, which makes an environment and describes it; the
    pool takes this worker over. `discard` ends a worker that no pool takes.
    """

    pool_methods = EnvCalls
    compiler = _python.Remote.compiler
    api_version = _python.Remote.api_version
    saves = False
    step_kind = _python.Remote.step_kind
    option_ranges = _python.Remote.option_ranges

    def __init__(
        self,
        name: str,
        make_recipe: MakeRecipe,
        asked: str,
        build: bool,
    ) -> None:
        """Keeps the arguments and starts nothing.

        Args:
            name: Name of the pool's class.
            make_recipe: Returns the recipe for given options.
            asked: The call of the user, for messages.
            build: True if a pool is wanted, False for specs only.
        """
        self.name = name
        self._make_recipe = make_recipe
        self._asked = asked
        self._build = build
        self._workers: WorkerProcesses | None = None
        self._description: EnvDescription | None = None

    def __eq__(self, other: object) -> bool:
        """True if pools of both have the same class: the class of a task, for any options."""
        return isinstance(other, PythonEnv) and (self.name, self._asked) == (
            other.name,
            other._asked,
        )

    def __hash__(self) -> int:
        """The hash of the fields that `==` compares."""
        return hash((self.name, self._asked))

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""
        config = _python.Remote.default_config()
        own = {key: value for key, value in config.items() if key not in _HIDDEN}
        return own | OWN_OPTIONS | {"render_mode": None}

    @property
    def description(self) -> EnvDescription:
        """The description of the environments."""
        assert self._description is not None, "describe() comes first"
        return self._description

    @property
    def renders(self) -> bool:
        """True if the environments draw frames as arrays."""
        return self._description is not None and "rgb_array" in self._description.render_modes

    @property
    def renders_text(self) -> bool:
        """True if the environments draw frames as text."""
        return self._description is not None and "ansi" in self._description.render_modes

    @property
    def observation_space(self) -> Any:
        """The space of one environment's observation, or of one player's."""
        return self.description.observation_space

    @property
    def action_space(self) -> Any:
        """The space of one environment's action, or of one player's."""
        return self.description.action_space

    def describe(self, config: dict[str, Any]) -> tuple[dict[str, Any], Any, Any]:
        """The options, the arrays of the state and those of an action; starts a worker."""
        self._check(config)
        if self._description is None:
            self._workers = self._new_workers(config)
        try:
            if self._description is None and self._workers is not None:
                self._description = self._workers.probe()
            if self.description.agents:
                config = config | {"max_num_players": len(self.description.agents)}
            own, state, action = _python.Remote.describe(self._compiled_config(config))
        except BaseException:
            self.discard()
            raise
        if not self._build:
            self.discard()
        return config | {k: v for k, v in own.items() if k in config}, state, action

    def discard(self) -> None:
        """Ends a worker that no pool takes."""
        workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()

    def _new_workers(self, config: Mapping[str, Any]) -> WorkerProcesses:
        seeds = (int(config["seed"]), *map(int, config["env_seed"]))
        return WorkerProcesses(
            self._make_recipe(config), config["start_method"], seeds, self._asked
        )

    def _check(self, config: Mapping[str, Any]) -> None:
        for key, choices in (
            ("start_method", START_METHODS),
            ("on_error", ON_ERROR),
            ("observation_mode", OBSERVATION_MODES),
        ):
            if config[key] not in choices:
                raise ConfigError(
                    f"{self._asked[:-1]}, {key}={config[key]!r})",
                    repr(config[key]),
                    ", ".join(map(repr, choices)),
                    suggest(config[key], choices, "Pass one of these"),
                )
        for key in ("num_workers", "step_timeout"):
            if not config[key] >= 0:
                raise ConfigError(
                    f"{self._asked[:-1]}, {key}={config[key]!r})",
                    repr(config[key]),
                    "0, or a number above it",
                    f"Correct {key}",
                )

    def _compiled_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        known = _python.Remote.default_config()
        return {k: v for k, v in config.items() if k in known} | {"layout": self._layout()}

    def _layout(self) -> Any:
        state, action = self.arrays()
        return _python.SlotLayout(state, action, max(1, len(self.description.agents)))

    def leaves(self) -> tuple[list[SpaceLeaf], list[SpaceLeaf]]:
        """The arrays of the observation and of the action."""
        asked = f"{self._asked} of {self.description.name}"
        observations = leaves_of(self.description.observation_space, f"observation_space: {asked}")
        actions = leaves_of(self.description.action_space, f"action_space: {asked}")
        joined = [".".join(map(str, leaf.path)) for leaf in actions]
        for key in joined:
            if key in ID_KEYS or joined.count(key) > 1:
                raise ConfigError(
                    f"action_space: {asked}",
                    f"the key {key!r}",
                    f"keys that differ when joined by dots, and other than {' and '.join(ID_KEYS)}",
                    "Rename the key with an ActionWrapper",
                )
        return observations, actions

    def arrays(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """The arrays of the state and of an action, in the compiled side's form."""
        observations, actions = self.leaves()
        several = bool(self.description.agents)
        state = [
            array_of(leaf, f"obs:{leaf.name}" if leaf.path else "obs", several)
            for leaf in observations
        ]
        if several:
            limits: dict[str, tuple[Any, Any]] = {"i": (0, len(self.description.agents) - 1)}
            for name, dtype in _PLAYERS:
                low, high = limits.get(dtype.kind, (False, True))
                state.append((name, dtype, (-1,), np.asarray(low, dtype), np.asarray(high, dtype)))
        turns = len(self.description.turn_agents)
        if turns:
            none, most = np.asarray(-np.inf), np.asarray(np.inf)
            last = np.asarray(turns - 1, np.int32)
            state.append(("info:agent", np.dtype(np.int32), (), last * 0, last))
            state.append(("info:rewards", np.dtype(np.float64), (turns,), none, most))
            mask = mask_of(self.description.observation_space)
            if mask is not None:
                state.append(array_of(mask, "info:action_mask", False))
        # With one player, too, an action may contain players.env_id, with each row's environment.
        return state, [array_of(leaf, leaf.name or "action", True) for leaf in actions]

    def make(self, config: dict[str, Any], task_id: str, autoreset_mode: str) -> WorkerPool:
        """Builds the environments."""
        workers, self._workers = self._workers, None
        if workers is None:
            workers = self._new_workers(config)
        try:
            return self._open(workers, config, task_id, autoreset_mode)
        except BaseException:
            workers.close()
            raise

    def _open(
        self, workers: WorkerProcesses, config: dict[str, Any], task_id: str, autoreset_mode: str
    ) -> WorkerPool:
        num_envs = config["num_envs"]
        batch_size = config["batch_size"] or num_envs
        num_workers = min(
            num_envs,
            config["num_workers"]
            or config["num_threads"]
            or _default_workers(is_async=batch_size < num_envs),
        )
        layout = self._layout()
        step_timeout = config["step_timeout"]
        try:
            memory = _python.make_file(num_envs, num_workers, layout)
            endpoint = _python.ParentEndpoint(
                memory,
                num_envs,
                num_workers,
                layout,
                step_timeout,
                config["on_error"] == "restart",
                functools.partial(_stop, workers, step_timeout),
                workers.restart,
            )
        except RuntimeError as cause:  # a std::system_error
            raise ConfigError(
                f"make({task_id!r}, num_envs={num_envs})",
                f"shared memory that the system refuses: {cause}",
                "so much memory, and so many open files, as its limits allow",
                "Pass a smaller num_envs, or raise the limits: ulimit -v, ulimit -n",
            ) from cause
        state, action = self.arrays()
        description = self.description
        setups = []
        first = 0
        for worker in range(num_workers):
            beyond = first
            while beyond < num_envs and endpoint.worker_of(beyond) == worker:
                beyond += 1
            setups.append(
                WorkerSetup(
                    worker=worker,
                    env_ids=range(first, beyond),
                    num_envs=num_envs,
                    num_workers=num_workers,
                    description=description,
                    observation_mode=config["observation_mode"],
                    state=state,
                    action=action,
                    max_players=max(1, len(description.agents)),
                    log_at=endpoint.log_at(worker),
                )
            )
            first = beyond
        workers.build(memory, setups)
        compiled_config = self._compiled_config(config) | {
            "layout": layout,
            "endpoint": endpoint,
            "autoreset_mode": autoreset_mode,
            "restart": config["on_error"] == "restart",
            "num_threads": 1,
        }
        return WorkerPool(
            _python.Remote.make(compiled_config, task_id, autoreset_mode),
            workers,
            endpoint,
            layout,
            memory,
            description,
            config,
            task_id,
            num_workers,
        )


def _default_workers(is_async: bool) -> int:
    """The maximum number of workers if the user gives no number.

    Environments of one worker wait for each other. A pool with batches smaller than the number of
    environments is for environments of unequal time, so each has its own worker; but no more
    workers than a machine runs well, and at most a quarter of the open-file limit.
    """
    cpus = len(os.sched_getaffinity(0))
    if not is_async:
        return cpus
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(cpus, min(ASYNC_WORKERS_PER_CPU * cpus, files // 4))


def _stop(workers: WorkerProcesses, step_timeout: float, worker: int, timed_out: bool) -> str:
    return workers.stop(worker, step_timeout if timed_out else 0.0)
