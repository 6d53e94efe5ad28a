# SPDX-License-Identifier: Apache-2.0
"""Values that environments return, checked where they enter.

What is wrong raises a BadValueError that names the environment and the value, and says what was
got, what is allowed, and the cure.
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
"""Keys of an info that are the pool's own."""
_STEP = "(observation, reward, terminated, truncated, info)"
_RESET = "(observation, info)"


class BadValueError(ValueError):
    """A value that an environment returned and that no pool can use."""

    def __init__(self, name: str, got: str, allowed: str, cure: str) -> None:
        """Words the message.

        Args:
            name: Which value of which environment, as "env 3: the reward of step()".
            got: What it was.
            allowed: What would have been usable.
            cure: What to do about it, an imperative sentence without its full stop.
        """
        super().__init__(f"{name}: got {got}; allowed: {allowed}. {cure}.")
        self.name, self.got, self.allowed, self.cure = name, got, allowed, cure


def shown(value: object) -> str:
    """A value in a message: its type, and its shape or its beginning."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}, {value.dtype}"
    return f"{shorten(value)}, a {type(value).__name__}"


def step_values(env_id: int, result: Any) -> Any:
    """The five values of a step that were returned in something else than a tuple of five."""
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
        BadValueError: If it is not one number.
    """
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, (int, np.number, np.bool_)) or _is_zero_dimensional(value):
        try:
            if not np.iscomplexobj(value):
                return float(value)
        except Exception:  # whatever a class of the user's does
            pass
    cure = "Return one number, as float(reward)"
    if isinstance(value, np.ndarray) and value.shape == (1,):
        cure = "Return its only element, as float(reward[0])"
    raise BadValueError(name, shown(value), "one real number", cure)


def flag_of(name: str, value: Any) -> bool:
    """Whether a flag, terminated or truncated, is set.

    Raises:
        BadValueError: If it is no bool.
    """
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.number)) or _is_zero_dimensional(value):
        try:
            number = float(value)
        except Exception:  # whatever a class of the user's does
            number = -1.0
        if number in (0.0, 1.0):
            return bool(number)
    raise BadValueError(name, shown(value), "True or False", "Return one bool")


def _is_zero_dimensional(value: Any) -> bool:
    """An array or a tensor without dimensions, whose element is a number."""
    try:
        return getattr(value, "shape", None) == () and hasattr(value, "__float__")
    except Exception:  # whatever a class of the user's does
        return False


def check_info(name: str, info: Any, own_keys: tuple[str, ...] = ()) -> None:
    """Raises BadValueError for what is no dict, and for keys that are the pool's own.

    Args:
        name: Of the info.
        info: What was returned.
        own_keys: Further keys that rows of this kind have themselves.
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
    """What a PettingZoo environment returns: something for each agent.

    Raises:
        BadValueError: If it is no dict.
    """
    if isinstance(value, Mapping):
        return value
    raise BadValueError(name, shown(value), "a dict by agents", "Return a dict")


def array_of_dtype(name: str, value: Any, space: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A value as an array that can be copied into one of `dtype`.

    Numbers of another type are converted where none of them changes; into floats of another
    precision they are rounded, as by `gymnasium.vector`.

    Raises:
        BadValueError: If there is no such array.
    """
    try:
        array = np.asarray(value)
    except (
        Exception
    ) as cause:  # lists of different lengths, and whatever a class of the user's does
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
