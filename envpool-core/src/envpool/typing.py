# SPDX-License-Identifier: Apache-2.0
"""Types of a compiled family's names, for its stub file, and of a pool's results.

    from envpool.typing import CompiledEnv

    Counter: CompiledEnv

A family that is not compiled derives from the same classes, see `envpool.pool_backend`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ._backend import CompiledArray, EnvBackend, PoolBackend

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "CompiledArray",
    "CompiledEnv",
    "CompiledPool",
    "DmStep",
    "GymnasiumReset",
    "GymnasiumStep",
]

GymnasiumStep = tuple[
    Any,  # observation: an array, or a dict of arrays and dicts
    "NDArray[np.float32]",  # reward
    "NDArray[np.bool_]",  # terminated
    "NDArray[np.bool_]",  # truncated
    dict[str, Any],  # info
]
"""The result of `step` with env_type "gymnasium" or "vector"; arrays have a row per environment."""

GymnasiumReset = tuple[Any, dict[str, Any]]
"""The result of `reset` with env_type "gymnasium" or "vector": observation and info."""


class DmStep(Protocol):
    """The result of `step` and `reset` with env_type "dm": a `dm_env.TimeStep` of arrays.

    It is defined here because dm_env has no type annotations. Every array has a row per
    environment.
    """

    @property
    def step_type(self) -> NDArray[np.int32]:
        """0 in the first step of an episode, 2 in its last, 1 between."""

    @property
    def reward(self) -> NDArray[np.float32]:
        """0 in a first step."""

    @property
    def discount(self) -> NDArray[np.float32]:
        """1 in a first step, 0 at a terminal state."""

    @property
    def observation(self) -> Any:
        """A namedtuple State of arrays and namedtuples."""

    def first(self) -> NDArray[np.bool_]:
        """A mask of rows that start an episode."""

    def mid(self) -> NDArray[np.bool_]:
        """A mask of rows within an episode."""

    def last(self) -> NDArray[np.bool_]:
        """A mask of rows that end an episode."""

    def __iter__(self) -> Iterator[Any]:
        """Step type, reward, discount and observation, as of any tuple."""

    def _replace(self, **fields: Any) -> DmStep:
        """A copy with other fields, as of any namedtuple."""


CompiledEnv = EnvBackend
"""An environment that `envpool::Register` adds to an extension module."""
CompiledPool = PoolBackend
"""The type of `pool.compiled`: it steps the environments of a pool."""
