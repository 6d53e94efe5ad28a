# SPDX-License-Identifier: Apache-2.0
"""Values that environments return, checked at the boundary.

A wrong value raises a BadValueError that names the environment and the value, the received and the
allowed value, and the cure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from envpool.errors import shorten
from numpy.typing import NDArray

RESERVED_INFO_KEYS = frozenset(
    ("elapsed_step", "env_id", "players", "error", "final_info", "final_obs")
)
"""Keys of an info that the pool sets itself."""
_STEP = "(observation, reward, terminated, truncated, info)"
_RESET = "(observation, info)"


class BadValueError(ValueError):
    """A value, returned by an environment, that no pool can use."""

    def __init__(self, name: str, got: str, allowed: str, cure: str) -> None:
        """Builds the message.

        Args:
            name: The value's name, as "env 3: the reward of step()".
            got: The received value.
            allowed: The allowed values.
            cure: The remedy, an imperative sentence without its full stop.
        """
        super().__init__(f"{name}: got {got}; allowed: {allowed}. {cure}.")
        self.name, self.got, self.allowed, self.cure = name, got, allowed, cure


def shown(value: object) -> str:
    """A value for a message: its type, and its shape or its beginning."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}, {value.dtype}"
    return f"{shorten(value)}, a {type(value).__name__}"


def step_values(env_id: int, result: Any) -> Any:
    """The five values of a step, from a result that is not a tuple of five."""
    if isinstance(result, (tuple, list)) and len(result) == 5:
        return result
    if isinstance(result, (tuple, list)) and len(result) == 4:
        got = "4 values, as old editions of gym have them"
    elif isinstance(result, (tuple, list)):
        got = f"{len(result)} values"
    else:
        got = shown(result)
    raise BadValueError(
        f"env {env_id}: what step() returned", got, _STEP, f"Have step() return {_STEP}"
    )


def reset_values(env_id: int, result: Any) -> Any:
    """The two values of a reset."""
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result
    raise BadValueError(
        f"env {env_id}: what reset() returned",
        f"{len(result)} values" if isinstance(result, (tuple, list)) else shown(result),
        _RESET,
        f"Have reset() return {_RESET}",
    )


def reward_of(name: str, value: Any) -> float:
    """A reward as a float.

    Raises:
        BadValueError: If it is not a number.
    """
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, (int, np.number, np.bool_)) or _is_zero_dimensional(value):
        try:
            if not np.iscomplexobj(value):
                return float(value)
        except Exception:  # user classes may raise any exception
            pass
    cure = "Return one number, as float(reward)"
    if isinstance(value, np.ndarray) and value.shape == (1,):
        cure = "Return its only element, as float(reward[0])"
    raise BadValueError(name, shown(value), "one real number", cure)


def flag_of(name: str, value: Any) -> bool:
    """The value of a flag, terminated or truncated.

    Raises:
        BadValueError: If it is not a bool.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.number)) or _is_zero_dimensional(value):
        try:
            number = float(value)
        except Exception:  # user classes may raise any exception
            number = -1.0
        if number in (0.0, 1.0):
            return bool(number)
    raise BadValueError(name, shown(value), "True or False", "Return one bool")


def _is_zero_dimensional(value: Any) -> bool:
    """True for an array or a tensor without dimensions."""
    try:
        return getattr(value, "shape", None) == () and hasattr(value, "__float__")
    except Exception:  # user classes may raise any exception
        return False


def check_info(name: str, info: Any, own_keys: tuple[str, ...] = ()) -> None:
    """Raises BadValueError if `info` is not a dict, or contains keys that the pool sets itself.

    Args:
        name: Name of the info.
        info: The returned info.
        own_keys: More keys that rows of this kind set themselves.
    """
    if not isinstance(info, Mapping):
        raise BadValueError(
            name, shown(info), "a dict", "Return a dict, which is {} if there is nothing to say"
        )
    for key in info:
        is_mask = isinstance(key, str) and key[:1] == "_" and key[1:] in info
        if key in RESERVED_INFO_KEYS or key in own_keys or is_mask:
            raise BadValueError(
                name,
                f"the key {key!r}",
                "keys other than those that pools have themselves: "
                f"{', '.join(sorted((*RESERVED_INFO_KEYS, *own_keys)))}, and '_key' beside 'key'",
                "Rename the key",
            )


def mapping_of(name: str, value: Any) -> Mapping[Any, Any]:
    """A PettingZoo environment's result: a dict by agent.

    Raises:
        BadValueError: If it is not a dict.
    """
    if isinstance(value, Mapping):
        return value
    raise BadValueError(name, shown(value), "a dict by agents", "Return a dict")


def array_of_dtype(name: str, value: Any, space: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A value as an array that can be copied into one of `dtype`.

    Numbers of another type are converted if none of them changes; to floats of another precision
    they are rounded, as by `gymnasium.vector`.

    Raises:
        BadValueError: If the value cannot be converted.
    """
    try:
        array = np.asarray(value)
    except Exception as cause:  # lists of different lengths, any exception of a user class
        raise BadValueError(
            name,
            f"{shown(value)}, of which NumPy makes no array: {shorten(str(cause))}",
            str(space),
            "Return an array of this space",
        ) from cause
    if array.dtype.kind in "biuf":
        if dtype.kind == "f":
            return array
        with np.errstate(invalid="ignore"):
            converted = array.astype(dtype)
        if (converted == array).all():
            return converted
    raise BadValueError(
        name,
        f"{shown(value)}, {shown(array)}" if array is not value else shown(value),
        f"{space}: {dtype}",
        f"Return numpy.asarray(value, numpy.{dtype.name}), or correct the space",
    )
