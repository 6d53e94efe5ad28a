# SPDX-License-Identifier: Apache-2.0
"""Types of what a compiled family offers, for its stub file, and of what pools return.

    from envpool.typing import CompiledEnv

    Counter: CompiledEnv

The classes are protocols: a family may also offer an object of its own that has these attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

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
"""What `step` returns with env_type "gymnasium" or "vector"; every array has one row per env."""

GymnasiumReset = tuple[Any, dict[str, Any]]
"""What `reset` returns with env_type "gymnasium" or "vector": observation and info."""


class DmStep(Protocol):
    """What `step` and `reset` return with env_type "dm": a `dm_env.TimeStep` of arrays.

    It is written down here because dm_env has no type annotations. Every array has one row per
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
        """Where an episode starts."""

    def mid(self) -> NDArray[np.bool_]:
        """Where an episode goes on."""

    def last(self) -> NDArray[np.bool_]:
        """Where an episode ends."""

    def __iter__(self) -> Iterator[Any]:
        """Step type, reward, discount and observation, as of any tuple."""

    def _replace(self, **fields: Any) -> DmStep:
        """A copy with other fields, as of any namedtuple."""


CompiledArray = tuple[
    str,  # name, as "info:env_id"
    "np.dtype[Any]",
    tuple[int, ...],  # shape for one environment; -1 first: one row per player
    "NDArray[Any]",  # lowest values
    "NDArray[Any]",  # highest values
    bool,  # whether every element is an array of its own shape,
    tuple[int, ...],  # and which shape that is, as far as it is known
    bool,  # whether the environment itself describes it; False: every environment has it
    bool,  # whether its whole numbers name choices, and are no quantities: MultiDiscrete
]
"""One array of a state or an action."""


class CompiledPool(Protocol):
    """A running pool: takes actions and ids, returns results in the layouts that it was given.

    `set_result_layouts` says how the results of `step` and `recv`, and of `reset`, are built. In a
    layout the name of a state array, as "obs", stands for that array; "final obs" for the value
    that it had at the end of an episode that ended in this row (autoreset "same_step"); "*" for a
    bool array of True with one element per row; None for None. A tuple or a dict of layouts is a
    tuple or a dict of what they stand for, and a list `[cls, a, b]` is `cls(a, b)`.

    One whose environments take options when they are reset also has
    `set_reset_options(env_ids, options)`: for the next reset of these, an int32 array or None for
    all; options None takes them back. Its `reset_options` are the names of these options with their
    defaults; where it has no such attribute, the environments take any.

    One that is compiled with this version or a later one also has `call(env_ids, requests)`: what
    environments that are not on their way answer to requests of their family, a list of bytes for a
    list of bytes. Raises ConfigError where they answer none, and WorkerError where some failed.

    One that is compiled with this version or a later one also has `set_result_arrays(arrays)`: the
    next results of a synchronous pool are written into these, NumPy arrays by their names in
    layouts, as "obs" or "final obs", with the dtype of the state array and a row for each
    environment (for each possible player, where there are several). Arrays that are not named are
    the pool's own. Results are the first rows of them. Raises ConfigError where one does not fit,
    and StateError where results are on the way.
    """

    closed: bool
    num_threads: int  # in environments at once; the calling one counts where it steps
    num_in_flight: int  # environments that were sent and not yet received

    def set_result_layouts(self, step: object, reset: object, /) -> None:
        """Says how results are built; a pool that has results on the way refuses."""

    def step(self, action: object, env_id: object = None, /) -> Any:
        """Is `send` and `recv` in one."""

    def send(self, action: object, env_id: object = None, /) -> None:
        """Copies actions and returns: an array, or a dict of arrays by the names of the action."""

    def recv(self, reset: bool = False, timeout: float | None = None, /) -> Any:
        """Waits for a batch, at most `timeout` seconds; `reset` chooses the other layout."""

    def reset(self, env_id: object = None, seed: object = None, /) -> Any:
        """Is `async_reset` and `recv(True)` in one."""

    def async_reset(self, env_id: object = None, seed: object = None, /) -> None:
        """Starts episodes and returns; an int as seed gives environment i `seed + i`."""

    def render(
        self, env_ids: NDArray[np.int32], width: int, height: int, camera_id: int, /
    ) -> NDArray[np.uint8]:
        """Draws RGB frames, an array of shape (rows, height, width, 3); a size of 0 is its own.

        Raises RenderError with "no episode yet" where an environment was never reset.

        Where the environment has a true `renders_depth`, True as a fifth argument gives depths
        instead, a float32 array of shape (rows, height, width). Where it has a true `renders_text`,
        a method `render_text(env_ids)` gives a list of texts.
        """

    def save_state(self, env_ids: NDArray[np.int32], /) -> list[bytes]:
        """One state for each id."""

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32], /) -> None:
        """Loads all states, or raises and loads none."""

    def close(self) -> None:
        """Ends the threads; a second call does nothing."""


class CompiledEnv(Protocol):
    """A compiled environment: what `envpool::Register` adds to an extension module."""

    name: str
    api_version: int
    compiler: str
    renders: bool
    saves: bool
    step_kind: str  # "trivial", "default" or "blocking"
    option_ranges: dict[str, tuple[int, int]]  # of the options that every environment has

    def __hash__(self) -> int:
        """Classes are made once for each environment, so it is a key."""

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""

    def describe(
        self, config: dict[str, object], /
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """The options as they were read, the arrays of the state and those of an action."""

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> CompiledPool:
        """Builds the environments; `task_id` is for messages."""
