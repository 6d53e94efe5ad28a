# SPDX-License-Identifier: Apache-2.0
"""Types of what a compiled family offers, for its stub file.

    from envpool.typing import CompiledEnv

    Counter: CompiledEnv

They are protocols: a family may also offer an object of its own that has these attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CompiledArray", "CompiledEnv", "CompiledPool"]

CompiledArray = tuple[
    str,  # name, as "info:env_id"
    "np.dtype[Any]",
    tuple[int, ...],  # shape for one environment; -1 first: one row per player
    "NDArray[Any]",  # lowest values
    "NDArray[Any]",  # highest values
    bool,  # whether every element is an array of its own shape,
    tuple[int, ...],  # and which shape that is, as far as it is known
    bool,  # whether the environment itself describes it; False: every environment has it
]
"""One array of a state or an action."""


class CompiledPool(Protocol):
    """A running pool: takes actions and ids, returns results in the layouts that it was given.

    `set_result_layouts` says how the results of `step` and `recv`, and of `reset`, are built. In a
    layout the name of a state array, as "obs", stands for that array; "final obs" for the value
    that it had at the end of an episode that ended in this row (autoreset "same_step"); "*" for a
    bool array of True with one element per row; None for None. A tuple or a dict of layouts is a
    tuple or a dict of what they stand for, and a list `[cls, a, b]` is `cls(a, b)`.
    """

    closed: bool
    num_threads: int
    num_in_flight: int

    def set_result_layouts(self, step: object, reset: object, /) -> None: ...
    def step(self, action: object, env_id: object = None, /) -> Any: ...
    def send(self, action: object, env_id: object = None, /) -> None: ...
    def recv(self, reset: bool = False, timeout: float | None = None, /) -> Any: ...
    def reset(self, env_id: object = None, seed: object = None, /) -> Any: ...
    def async_reset(self, env_id: object = None, seed: object = None, /) -> None: ...
    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]: ...
    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]: ...
    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None: ...
    def close(self) -> None: ...


class CompiledEnv(Protocol):
    """A compiled environment: what `envpool::Register` adds to an extension module."""

    name: str
    api_version: int
    compiler: str
    renders: bool
    saves: bool
    option_ranges: dict[str, tuple[int, int]]  # of the options that every environment has

    def __hash__(self) -> int: ...
    def default_config(self) -> dict[str, object]: ...
    def describe(
        self, config: dict[str, object], /
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]: ...
    def make(
        self, config: dict[str, object], task_id: str, autoreset_mode: str, /
    ) -> CompiledPool: ...
