# SPDX-License-Identifier: Apache-2.0
"""BatchEnv: what stands for an environment written in JAX where others have a compiled one."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import ConfigError, shorten, suggest
from envpool.typing import CompiledArray
from gymnasium import spaces

from ._options import ARRAYS, OWN_OPTIONS, RESETS

if TYPE_CHECKING:
    from ._describe import Described
    from ._pool import JaxPool
    from ._program import Program

_INT_MAX = 2**31 - 1
_INT, _FLOAT, _BOOL = np.dtype(np.int32), np.dtype(np.float32), np.dtype(np.bool_)


def _common(
    name: str, dtype: np.dtype[Any], per_player: bool = False, low: Any = None, high: Any = None
) -> CompiledArray:
    if low is None:
        low, high = {
            "i": (-(2**31), _INT_MAX), "b": (False, True), "f": (-np.inf, np.inf),
        }[dtype.kind]  # fmt: skip
    shape = (-1,) if per_player else ()
    bounds = np.asarray(low, dtype), np.asarray(high, dtype)
    return name, dtype, shape, *bounds, False, (), False, False


# What every family has, in core's order.
_STATE = [
    _common("info:env_id", _INT),
    _common("info:players.env_id", _INT, True),
    _common("elapsed_step", _INT),
    _common("done", _BOOL),
    _common("reward", _FLOAT, True),
    _common("discount", _FLOAT, True, 0, 1),
    _common("step_type", _INT, False, 0, 2),
    _common("trunc", _BOOL),
    _common("terminated", _BOOL),
]
_ACTION = [_common("env_id", _INT), _common("players.env_id", _INT, True)]


class BatchEnv:
    """A `CompiledEnv` (see `envpool.typing`) of an environment in JAX."""

    api_version = 2  # of `envpool.typing.CompiledEnv`, which this is written after
    compiler = "XLA"
    saves = True
    step_kind = "default"
    option_ranges = {  # noqa: RUF012
        "num_envs": (1, 2**24),
        "num_threads": (0, 4096),
        "max_num_players": (1, 1),
        "thread_affinity_offset": (-1, 2**16),
        "max_episode_steps": (1, _INT_MAX),
    }

    def __init__(
        self, env: Any, name: str, task_id: str, given: Any = None, arguments: str = ""
    ) -> None:
        """Traces nothing yet.

        Args:
            env: A `JaxEnv`.
            name: Of the class of the pool.
            task_id: For messages, and for saved states.
            given: What the user gave, if it was no id.
            arguments: What the library's function got, on which saved states depend.
        """
        self.env, self.name, self.task_id, self.given = env, name, task_id, given
        self._arguments = arguments

    def __eq__(self, other: object) -> bool:
        """Whether pools of both are of one class: those of a task, whatever their options are."""
        return isinstance(other, BatchEnv) and self._key == other._key

    def __hash__(self) -> int:
        """Of what `==` looks at."""
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, str]:
        return self.name, self.task_id

    @property
    def renders(self) -> bool:
        """Whether it draws."""
        return hasattr(self.env, "render")

    @property
    def action_space(self) -> Any:
        """The space of an action, as it has been announced if it is a vector of choices."""
        if isinstance(self.env.action_space, spaces.MultiDiscrete):
            return self.env.action_space
        return None

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""
        return {
            "num_envs": 1, "batch_size": 0, "num_threads": 0, "max_num_players": 1,
            "thread_affinity_offset": -1, "base_path": "", "seed": 42, "env_seed": [],
            "gym_reset_return_info": True, "max_episode_steps": _INT_MAX, "render_mode": None,
            **OWN_OPTIONS,
        }  # fmt: skip

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
        known = self.described
        state: list[Any] = [array.as_state() for array in (*known.observations, *known.infos)]
        action: list[Any] = [array.as_state() for array in known.actions]
        return config, [*_STATE, *state], [*_ACTION, *action]

    def _limit(self) -> int | None:
        """Steps of an episode, as the environment's class says.

        Raises:
            ConfigError: If it is no whole number from 1.
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
        """What JAX compiles; the same each time, so that it compiles once."""
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
        """Differs where a saved state of the one is none of the other; 16 bytes."""
        import jax

        leaves, tree = jax.tree.flatten(self.described.state)
        module = type(self.env).__module__.partition(".")[0]
        text = f"{self.task_id} {self._arguments} {module} {_version(module)} {tree}" + "".join(
            f" {leaf.dtype}{leaf.shape}" for leaf in leaves
        )
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> JaxPool:
        """Makes the pool; it compiles when it knows which results are wanted."""
        from ._pool import JaxPool

        return JaxPool(self, config, task_id, autoreset_mode)


def _version(module: str) -> str:
    """The version of the library that has an environment, if it is one."""
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return ""
