# SPDX-License-Identifier: Apache-2.0
"""What a compiled family offers to Python, as types, and how one of its environments is loaded."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ._version import API_VERSION, __version__
from .errors import PluginError, explain, suggest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# name, dtype, shape (-1 first: one row per player), low, high, dynamic, shape of a dynamic element
RawArray = tuple[
    str, "np.dtype[Any]", tuple[int, ...], "NDArray[Any]", "NDArray[Any]", bool, tuple[int, ...]
]

# Columns that open every state, in this order; the family's own follow.
ENV_ID, PLAYERS_ENV_ID, ELAPSED_STEP, DONE, REWARD, DISCOUNT, STEP_TYPE, TRUNC, TERMINATED = range(
    9
)
NUM_COMMON_STATE = 9
# "env_id" and "players.env_id" open every action.
NUM_COMMON_ACTION = 2


class RawPool(Protocol):
    """A running pool. `set_layout` says how the results of the other methods are built.

    A layout is an int `i >= 0` for the array of state column `i`, `-1` for an array of True with
    one element per row, `-(2 + i)` for the last value that column `i` had in an episode that ended
    in this row, a tuple or dict of layouts, or a list `[cls, a, b]` for `cls(a, b)`.
    """

    closed: bool
    num_threads: int
    num_in_flight: int

    def set_layout(self, step: object, reset: object, /) -> None: ...
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


class EnvType(Protocol):
    """A compiled environment: what `envpool::Register` adds to an extension module."""

    name: str
    api_version: int
    compiler: str
    renders: bool
    saves: bool

    def __hash__(self) -> int: ...
    def default_config(self) -> dict[str, object]: ...
    def describe(
        self, config: dict[str, object], /
    ) -> tuple[dict[str, object], list[RawArray], list[RawArray]]: ...
    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> RawPool: ...


def load_object(path: str, task_id: str, wheel: str = "") -> Any:
    """Imports what `"module:Name"` names.

    Args:
        path: Module and name.
        task_id: The task that needs it, for messages.
        wheel: The distribution that has the module, for messages; empty if unknown.

    Raises:
        PluginError: If the module cannot be imported or lacks the name.
    """
    module_name, _, attribute = path.partition(":")
    provider = wheel or module_name.partition(".")[0]
    try:
        module = importlib.import_module(module_name)
    # A module that calls sys.exit() must not end the program.
    except (Exception, SystemExit) as cause:
        from ._trouble import trouble  # needed, and slow to import, only when something is wrong

        parts = trouble(cause, module_name, provider)
        message = explain(f"task {task_id!r}", *parts)
        raise PluginError(message, wheel=wheel, cure=parts[-1]) from cause
    try:
        return getattr(module, attribute)
    except AttributeError:
        names = [name for name in vars(module) if not name.startswith("__")]
        raise PluginError(
            explain(
                f"task {task_id!r}",
                f"no {attribute!r} in the module {module_name}",
                f"one of {names}",
                suggest(attribute, names, f"Correct the path {path!r} of the task"),
            ),
            wheel=wheel,
        ) from None


def check_api(env: EnvType, path: str, wheel: str = "") -> None:
    """Refuses an environment that was compiled with headers of another interface number.

    Raises:
        PluginError: If the numbers differ; names both wheels and the one to upgrade.
    """
    if not hasattr(env, "api_version"):
        raise PluginError(
            explain(
                f"import of {path}",
                f"an object of type {type(env).__name__}",
                "an environment that envpool::Register added to its module",
                "Correct the path of the task",
            ),
            wheel=wheel,
        )
    if env.api_version == API_VERSION:
        return
    provider = wheel or path.partition(".")[0].partition(":")[0]
    older = provider if env.api_version < API_VERSION else "envpool-core"
    then = f"Run `pip install --upgrade {older}`, or build {provider} against this envpool-core"
    message = explain(
        f"import of {path}",
        f"interface number {env.api_version} in {provider}",
        f"{API_VERSION}, the number of envpool-core {__version__}",
        then,
    )
    raise PluginError(message, wheel=wheel, cure=then)
