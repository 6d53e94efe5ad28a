# SPDX-License-Identifier: Apache-2.0
"""BatchEnv: the backend of an environment written in JAX."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import ConfigError, shorten, suggest
from envpool.pool_backend import (
    COMMON_OPTIONS,
    OPTION_RANGES,
    EnvBackend,
    common_action,
    common_state,
)
from envpool.typing import CompiledArray
from gymnasium import spaces

from ._options import ARRAYS, OWN_OPTIONS, RESETS

if TYPE_CHECKING:
    from ._describe import Described
    from ._pool import JaxPool
    from ._program import Program

_INT_MAX = 2**31 - 1


class BatchEnv(EnvBackend):
    """The backend of an environment in JAX."""

    api_version = 2  # version of envpool-core's `EnvBackend` for which this is written
    compiler = "XLA"
    saves = True
    step_kind = "default"
    option_ranges = OPTION_RANGES

    def __init__(
        self, env: Any, name: str, task_id: str, given: Any = None, arguments: str = ""
    ) -> None:
        """Traces nothing yet.

        Args:
            env: A `JaxEnv`.
            name: Name of the pool's class.
            task_id: For messages, and for saved states.
            given: The user's argument, if it was not an id.
            arguments: The arguments of the library's function; saved states depend on them.
        """
        self.env, self.name, self.task_id, self.given = env, name, task_id, given
        self._arguments = arguments

    def __eq__(self, other: object) -> bool:
        """True if pools of both have the same class: the class of a task, for any options."""
        return isinstance(other, BatchEnv) and self._key == other._key

    def __hash__(self) -> int:
        """The hash of the fields that `==` compares."""
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str]:
        return self.name, self.task_id

    @property
    def renders(self) -> bool:
        """True if the environment can draw."""
        return hasattr(self.env, "render")

    @property
    def action_space(self) -> Any:
        """The space of an action, as declared if it is a vector of choices."""
        if isinstance(self.env.action_space, spaces.MultiDiscrete):
            return self.env.action_space
        return None

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""
        return {**COMMON_OPTIONS, "render_mode": None, **OWN_OPTIONS}

    @functools.cached_property
    def described(self) -> Described:
        """The arrays of the environment."""
        from ._describe import describe

        return describe(self.env, f"make({self.task_id!r})")

    def describe(
        self, config: dict[str, object], /
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """The options, the arrays of the state and those of an action."""
        for key, choices in (("array", ARRAYS), ("resets", RESETS)):
            if config[key] not in choices:
                error = ConfigError(
                    f"make({self.task_id!r}, {key}={config[key]!r})",
                    repr(config[key]),
                    ", ".join(map(repr, choices)),
                    suggest(config[key], choices, "Pass one of these"),
                )
                raise error
        limit = self._limit()
        if config["max_episode_steps"] == _INT_MAX and limit is not None:
            config = config | {"max_episode_steps": limit}
        return config, *self.arrays()

    def arrays(self) -> tuple[list[CompiledArray], list[CompiledArray]]:
        """The arrays of the state and those of an action."""
        known = self.described
        state = [one.compiled() for one in (*known.observations, *known.infos)]
        action = [one.compiled(per_player=True) for one in known.actions]
        return [*common_state(), *state], [*common_action(), *action]

    def _limit(self) -> int | None:
        """The steps of an episode, as the environment's class declares.

        Raises:
            ConfigError: If it is not a whole number of 1 or more.
        """
        limit = self.env.max_episode_steps
        if limit is None:
            return None
        is_whole = hasattr(limit, "__index__") and not isinstance(limit, (bool, np.bool_))
        if is_whole and 1 <= limit.__index__() <= _INT_MAX:
            return int(limit)
        raise ConfigError(
            f"max_episode_steps of {self.task_id!r}",
            shorten(limit),
            f"a whole number of steps, 1 .. {_INT_MAX}, or None for no limit",
            "Correct it in the environment's class",
        )

    def program(self, mode: str, resets: str, wanted: frozenset[str], packs: bool) -> Program:
        """The program that JAX compiles; the same object each time, so that it compiles once."""
        key = mode, resets, wanted, packs
        if key not in self._programs:
            from ._program import Program

            self._programs[key] = Program(self.env, self.described, *key)
        return self._programs[key]

    @functools.cached_property
    def _programs(self) -> dict[tuple[str, str, frozenset[str], bool], Program]:
        return {}

    @functools.cached_property
    def fingerprint(self) -> bytes:
        """16 bytes that differ between environments whose saved states are incompatible."""
        import jax

        leaves, tree = jax.tree.flatten(self.described.state)
        module = type(self.env).__module__.partition(".")[0]
        text = f"{self.task_id} {self._arguments} {module} {_version(module)} {tree}" + "".join(
            f" {leaf.dtype}{leaf.shape}" for leaf in leaves
        )
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str) -> JaxPool:
        """Makes the pool; it compiles once the wanted results are known."""
        from ._pool import JaxPool, Source

        source = Source(self.env, self.program, lambda: self.fingerprint)
        return JaxPool(source, config, *self.arrays(), task_id, autoreset_mode)


def _version(module: str) -> str:
    """The version of the library that has an environment, or ""."""
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return ""
