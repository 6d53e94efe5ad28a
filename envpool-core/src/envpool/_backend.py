# SPDX-License-Identifier: Apache-2.0
"""EnvBackend and PoolBackend: the interface of environments and of pools that core uses.

Compiled families, `envpool_python`, `envpool_ray` and `envpool_jax` derive from these two classes.
Optional methods that a class does not override raise an EnvPoolError. The classes have no
attributes of their own (`__slots__`), so that compiled classes can derive from them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import ConfigError, RenderError, SavedStateError, StateError, shorten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CompiledArray = tuple[
    str,  # name, as "info:env_id"
    "np.dtype[Any]",
    tuple[int, ...],  # shape for one environment; -1 first: one row per player
    "NDArray[Any]",  # lowest values
    "NDArray[Any]",  # highest values
    bool,  # True if every element is an array with a shape of its own
    tuple[int, ...],  # known sizes of that shape
    bool,  # True if the environment describes the array; False: every environment has it
    bool,  # True if whole numbers name choices and are no quantities: MultiDiscrete
]
"""One array of a state or an action."""
XlaFunctions = tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]
"""A handle, and the functions `recv`, `send` and `step`."""


class EnvBackend:
    """An environment that is not running yet: its options, its arrays, and how its pool is made."""

    __slots__ = ()

    # Attributes that every subclass has; instances are keys of dicts.
    name: str
    """The name of the environment in the class of its pools, as "CartPole"."""
    api_version: int
    """`envpool.pool_backend.API_VERSION` of the envpool-core that it was written for."""
    compiler: str
    step_kind: str
    """ "trivial", "default" or "blocking"."""
    option_ranges: dict[str, tuple[int, int]]
    """The keys of the options that every environment has."""

    @property
    def renders(self) -> bool:
        """Whether frames can be drawn: render_mode "rgb_array" and "human"."""
        return False

    @property
    def renders_text(self) -> bool:
        """Whether it draws itself as text: render_mode "ansi"."""
        return False

    @property
    def renders_depth(self) -> bool:
        """Whether depths can be drawn: render_mode "depth_array" and "rgbd_tuple"."""
        return False

    @property
    def saves(self) -> bool:
        """Whether its states can be saved."""
        return False

    @property
    def observation_space(self) -> Any:
        """The Gymnasium space of one observation; None: it follows from the arrays."""
        return None

    @property
    def action_space(self) -> Any:
        """The Gymnasium space of one action; None: it follows from the arrays."""
        return None

    @property
    def pool_methods(self) -> type[Any] | None:
        """A class with additional methods of its pools; None: the usual methods only."""
        return None

    @property
    def xla_handlers(self) -> Mapping[str, Any]:
        """Capsules of JAX's FFI by name, through which programs on the CPU call a pool."""
        return {}

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""
        raise NotImplementedError

    def describe(
        self, config: dict[str, object]
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """Returns the converted options, the arrays of a state and the arrays of an action."""
        raise NotImplementedError

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str) -> PoolBackend:
        """Builds the environments; error messages show `task_id`."""
        raise NotImplementedError

    def discard(self) -> None:
        """Frees the resources of `describe`, where no pool follows."""

    def xla_register(self, c_pool: Any, arrays: list[str]) -> tuple[int, Any]:
        """A number by which `xla_handlers` identify the pool, and an object that keeps it alive."""
        raise NotImplementedError


class PoolBackend:
    """A running pool: takes actions and ids, returns results in the layouts that it was given."""

    __slots__ = ()

    @property
    def task_id(self) -> str:
        """The task's id for error messages."""
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """True if the pool is closed; `reset` and `async_reset` open it again."""
        raise NotImplementedError

    @property
    def num_threads(self) -> int:
        """The number of threads in environments at once; counts the calling thread if it steps."""
        raise NotImplementedError

    @property
    def num_in_flight(self) -> int:
        """Environments that were sent and not yet received."""
        raise NotImplementedError

    @property
    def keeps_observation(self) -> bool:
        """True if the pool has `reset_some`; else core keeps the last observation."""
        return False

    @property
    def reset_options(self) -> Mapping[str, Any] | None:
        """The options that a reset takes, with their defaults; None: any."""
        return {}

    def set_result_layouts(self, step: object, reset: object) -> None:
        """Says how the results of `step` and `recv`, and of `reset`, are built.

        The name of a state array, as "obs", stands for that array; "final obs" stands for the
        array's value at the end of an episode that ended in this row (autoreset "same_step"); "*"
        for a bool array of True with one element per row; None for None. A tuple or a dict of
        layouts is a tuple or a dict of the results of these layouts, and a list `[cls, a, b]` is
        `cls(a, b)`.

        Raises:
            StateError: If results are in flight.
        """
        raise NotImplementedError

    def set_result_arrays(self, arrays: object) -> None:
        """The next results are written into these arrays, by their names in layouts.

        They have the dtype of the state array and a row for each environment, or for each possible
        player. Results are their first rows. The pool makes arrays that are not named.

        Raises:
            ConfigError: If an array does not fit.
            StateError: If results are in flight, or the pool writes only into its own arrays.
        """
        raise StateError(
            f"set_result_arrays of {self.task_id}",
            f"a {type(self).__name__}, whose results are its own arrays",
            "pools whose results are written into memory of this process",
            "Leave it out",
        )

    def set_reset_options(
        self, env_ids: NDArray[np.int32] | None, options: Mapping[str, Any] | None
    ) -> None:
        """Gives options to the next reset of environments (None: of all); None takes them back.

        Raises:
            ConfigError: If an option is unknown or has a wrong value.
        """
        if options is None:
            return
        raise ConfigError(
            f"reset(options=...) of {self.task_id}",
            shorten(dict(options)),
            "None: this environment's Reset takes no options",
            "Leave them out",
        )

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Calls `send` and `recv`."""
        raise NotImplementedError

    def step_all(self, actions: Any) -> Any:
        """Calls `step`; `actions` has a row for each environment, in the order of their ids."""
        return self.step(actions)

    def send(self, action: Any, env_id: Any = None) -> None:
        """Copies actions and returns; `action` is an array, or a dict of arrays by their names."""
        raise NotImplementedError

    def recv(self, reset: bool = False, timeout: float | None = None) -> Any:
        """Waits for a batch, at most `timeout` seconds; `reset` chooses the other layout."""
        raise NotImplementedError

    def reset(self, env_id: object = None, seed: object = None) -> Any:
        """Calls `async_reset` and `recv(True)`."""
        raise NotImplementedError

    def reset_some(self, env_ids: object, seed: object = None) -> Any:
        """Resets environments; the result has rows of all of them, in the layout of a reset.

        Rows of other environments have their last observation, zeros or None in other arrays, and
        False for "*" in the layout. In a sequence of seeds None keeps an environment's generator.
        Only pools with "*" in layouts and a row for each environment in every batch have this call.

        Raises:
            StateError: If the last observation of the others is not known.
        """
        raise NotImplementedError

    def async_reset(self, env_id: object = None, seed: object = None) -> None:
        """Starts episodes and returns; an int as seed gives environment i `seed + i`."""
        raise NotImplementedError

    def render(
        self,
        env_ids: NDArray[np.int32],
        width: int,
        height: int,
        camera_id: int,
        depth: bool = False,
    ) -> Any:
        """Draws frames, uint8 (rows, height, width, 3), or depths, float32 (rows, height, width).

        A width or height of 0 is the environment's own.

        Raises:
            RenderError: With "no episode yet" where an environment was never reset.
        """
        raise RenderError(
            f"render of {self.task_id}",
            "an environment that cannot draw itself",
            "tasks that can render",
            "See `envpool info` for the tasks that can",
        )

    def render_text(self, env_ids: NDArray[np.int32]) -> list[str]:
        """A text for each id, where the environment draws itself as text."""
        raise RenderError(
            f"render of {self.task_id}",
            "an environment that cannot draw itself",
            "tasks that can render",
            "See `envpool info` for the tasks that can",
        )

    def save_state(self, env_ids: NDArray[np.int32]) -> list[bytes]:
        """One state for each id."""
        raise SavedStateError(
            f"save_state of {self.task_id}",
            "an environment that cannot be saved",
            "tasks whose environment has SaveState",
            "See `envpool info` for the tasks that can",
        )

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32]) -> None:
        """Loads all states, or raises and loads none."""
        self.save_state(env_ids)

    def call(self, env_ids: Sequence[int], requests: list[bytes]) -> list[bytes]:
        """Returns the answers to requests of the family, of environments that are not in flight.

        Raises:
            ConfigError: If the family has no requests.
            WorkerError: If some requests failed.
        """
        raise ConfigError(
            f"a call of an environment of {self.task_id}",
            "an environment that answers none",
            "tasks whose environment has Call",
            "Leave the call out",
        )

    def functional(self) -> tuple[Any, Callable[[Any, Any], tuple[Any, Any]]]:
        """Returns a carry, and the pure function `step(carry, action)`: next carry and result.

        Raises:
            ConfigError: If the environments are not pure functions.
        """
        raise ConfigError(
            f"functional() of {self.task_id}",
            "environments that are no pure functions",
            "tasks whose environments are written as functions of JAX",
            "Use xla(), which calls the pool from compiled programs",
        )

    def xla(self) -> XlaFunctions | None:
        """The pool's own functions for code that JAX compiles; None: core makes the functions."""
        return None

    def c_pool(self) -> Any:
        """A capsule of an `EnvPoolC`, see `envpool/c_pool.h`.

        Raises:
            ConfigError: If native code cannot call the pool.
        """
        raise ConfigError(
            f"c_pool() of {self.task_id}",
            f"a {type(self).__name__}, written in Python",
            "pools of compiled environments",
            "Use the pool from Python",
        )

    def close(self) -> None:
        """Ends the threads; a second call changes nothing."""
        raise NotImplementedError


class EnvWrapper(EnvBackend):
    """A backend that passes on every call that its subclass does not override."""

    def __init__(self, inner: EnvBackend) -> None:
        """Keeps the wrapped backend."""
        self.inner = inner


class PoolWrapper(PoolBackend):
    """A pool that passes on every call that its subclass does not override."""

    def __init__(self, inner: PoolBackend) -> None:
        """Keeps the wrapped pool."""
        self.inner = inner

    def step_all(self, actions: Any) -> Any:
        """Calls `step`, which a subclass may override."""
        return self.step(actions)


def _pass_on(wrapper: type[Any], base: type[Any]) -> None:
    """Gives the wrapper class the attributes of `base` that it lacks, from the wrapped object."""
    for name in (*vars(base), *base.__annotations__):
        if not name.startswith("_") and name not in vars(wrapper):
            setattr(wrapper, name, property(operator.attrgetter(f"inner.{name}")))


_pass_on(EnvWrapper, EnvBackend)
_pass_on(PoolWrapper, PoolBackend)
