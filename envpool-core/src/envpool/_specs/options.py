# SPDX-License-Identifier: Apache-2.0
"""Completes and checks the options that a user gave.

Options come from three places, later ones winning: the compiled environment, the task, the user.
A few belong to the pool and not to the environment, so every task has them: `POOL_OPTIONS`.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._upstream.old_options import check_reset_return_info
from ..errors import ConfigError, PluginError, shorten, suggest

POOL_OPTIONS: dict[str, object] = {
    "render_mode": None,  # one of RENDER_MODES
    "render_env_id": 0,  # the environment that render() draws without env_ids
    "render_width": 0,  # pixels; 0: the environment's own size
    "render_height": 0,
    "render_camera_id": -1,  # -1: the environment's own camera
    "autoreset_mode": "next_step",  # or "same_step" or "disabled"
}
_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1
_FLOAT_MAX = float(np.finfo(np.float32).max)  # the type of results
_POOL_RANGES = {
    "render_width": (0, 2**14),
    "render_height": (0, 2**14),
    "render_camera_id": (-1, _INT32_MAX),
}
RENDER_MODES = (None, "rgb_array", "human", "ansi", "depth_array", "rgbd_tuple")
AUTORESET_MODES = ("next_step", "same_step", "disabled")
# For these options None means the default.
_NONE_IS_DEFAULT = {"batch_size", "env_seed", "max_episode_steps", "num_threads", "render_env_id"}
_NONE_IS_DEFAULT |= {"render_width", "render_height", "render_camera_id"}


def known_options(
    env_defaults: Mapping[str, object],
    task_defaults: Mapping[str, object],
    name: str,
    own: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """All options of a task with their defaults: the environment's, the family's, the pool's.

    Args:
        env_defaults: The options of the compiled environment.
        task_defaults: The values that the task sets differently; may add `reward_threshold`.
        name: The task or environment, for error messages.
        own: The family's additional options.

    Raises:
        PluginError: If the task sets an option that does not exist.
        ConfigError: If the task sets an option to a value of a wrong type.
    """
    known = dict(env_defaults)
    if "reward_threshold" in task_defaults:
        known.setdefault("reward_threshold", None)
    known |= own or {}
    known |= {key: value for key, value in POOL_OPTIONS.items() if key not in known}
    for key, value in task_defaults.items():
        if key not in known:
            raise PluginError(
                f"task {name!r}",
                f"a default for the option {key!r}",
                f"options of its environment: {', '.join(known)}",
                suggest(key, known, "Remove it from the task"),
            )
        known[key] = _convert(key, value, known[key], f"Task({name!r}, ")
    return known


def real_names(given: Mapping[str, object], names: Iterable[str]) -> dict[str, object]:
    """The given options, by their own names: "nested.key" for `nested_key=...`."""
    real = {key.replace(".", "_"): key for key in names}
    return {real.get(key, key): value for key, value in given.items()}


def check_types(
    known: Mapping[str, object], given: Mapping[str, object], call: str
) -> dict[str, object]:
    """The given options, the known ones converted to the types of their defaults.

    Raises:
        ConfigError: If a value is of a wrong type, or a number that is not finite.
    """
    return {
        key: _convert(key, value, known[key], call) if key in known else value
        for key, value in given.items()
    }


def check_reset_options(
    known: Mapping[str, object], given: Mapping[str, object], task_id: str
) -> dict[str, object]:
    """The options of a reset, converted to the types of their defaults.

    Raises:
        ConfigError: If a value is of a wrong type, or has a number that is not finite.
    """
    call = f"reset of {task_id} with the option "
    checked = {}
    for key, value in given.items():
        checked[key] = _convert(key, value, known[key], call, end="")
        _check_finite(key, checked[key], known[key], call, end="")
    return checked


def check_documented(known: Mapping[str, object], docs: Mapping[str, str], name: str) -> None:
    """Raises PluginError when a task explains an option that does not exist."""
    for key in docs:
        if key not in known:
            raise PluginError(
                f"config_docs of task {name!r}",
                f"a text for the option {key!r}",
                f"options of its environment: {', '.join(known)}",
                suggest(key, known, "Remove it from the task"),
            )


def complete(
    known: Mapping[str, object],
    given: Mapping[str, object],
    ranges: Mapping[str, tuple[int, int]],
    call: str,
    own: Collection[str] = (),
    infinite: Collection[str] = (),
) -> dict[str, object]:
    """All options with their final values, in the order of `known`.

    Args:
        known: Options and defaults, from `known_options`.
        given: The options of the user.
        ranges: Smallest and largest values, from the compiled environment.
        call: The call in the user's words up to the options, as "make('CartPole-v1', ".
        own: The family's additional options. The family checks values in them that are no numbers,
            as the arguments of another program's environment.
        infinite: Options that may be infinite.

    Raises:
        ConfigError: If an option is unknown, of a wrong type or out of range, or has a number that
            is not finite.
    """
    given = dict(given)
    _check_flags(known, given, call)
    check_known(known, given, call)
    config = {
        key: known[key]
        if key not in given or (given[key] is None and key in _NONE_IS_DEFAULT)
        else _convert(key, given[key], known[key], call, infinite=key in infinite)
        for key in known
        if key not in ("seed", "env_seed")
    }
    for key, value in config.items():
        if key in given and key not in own:
            _check_finite(key, value, known[key], call, infinite=key in infinite)
    for key, (low, high) in {**_POOL_RANGES, **ranges}.items():
        if key in config and key != "batch_size":  # num_envs limits it
            check_range(key, config[key], low, high, call)
    num_envs = operator.index(config["num_envs"])  # type: ignore[arg-type]
    check_range("batch_size", config["batch_size"], 0, num_envs, call)
    config["batch_size"] = config["batch_size"] or num_envs
    check_range("render_env_id", config["render_env_id"], 0, num_envs - 1, call)
    seeds = _seeds(known, given, num_envs, call)
    return {key: seeds[key] if key in seeds else config[key] for key in known}


def check_known(known: Mapping[str, object], given: Mapping[str, object], call: str) -> None:
    """Raises ConfigError when an option that is given does not exist."""
    for key in given:
        if key not in known:
            raise ConfigError(
                f"{call}{key}={shorten(given[key])})",
                "an option that this task does not have",
                ", ".join(known),
                suggest(key, known, "Leave it out"),
            )


def check_not_fixed(fixed: Iterable[str], given: Mapping[str, object], call: str) -> None:
    """Raises ConfigError when an option is given that `Task(fixed=...)` excludes."""
    for key in fixed:
        if key in given:
            raise ConfigError(
                f"{call}{key}={shorten(given[key])})",
                "an option of other tasks: this one computes it, or does not read it",
                "the options that `envpool info` lists",
                "Leave it out",
            )


def reworded(error: ConfigError, options: Mapping[str, object], call: str) -> ConfigError:
    """The compiled side's error about an option, in the words of errors about other options.

    Args:
        error: The compiled side's error.
        options: All options, as the compiled side got them.
        call: As in `complete`.
    """
    key = error.option
    if key not in options:
        return error
    value = options[key]
    then = suggest(value, error.choices, error.hint)
    return ConfigError(f"{call}{key}={shorten(value)})", error.got, error.allowed, then)


def check_range(key: str, value: Any, low: int, high: int, call: str) -> None:
    """Raises ConfigError when `value` is not in `low .. high`."""
    if not low <= value <= high:
        got = shorten(value)
        raise ConfigError(
            f"{call}{key}={got})", got, f"{low} .. {high}", f"Pass a {key} in this range"
        )


def as_int(key: str, value: Any, call: str) -> int:
    """A Python int from anything that is a whole number and not a bool.

    Raises:
        ConfigError: If the value is of another type.
    """
    whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    if whole or (hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_))):
        try:
            return int(value) if whole else operator.index(value)
        except TypeError:  # an array of more than one element has __index__, too
            pass
    raise ConfigError(
        f"{call}{key}={shorten(value)})",
        f"{shorten(value)} of type {type(value).__name__}",
        "a whole number",
        f"Pass {key} as an int",
    )


def _check_flags(known: Mapping[str, object], given: dict[str, object], call: str) -> None:
    check_reset_return_info(given, call)
    if "from_pixels" not in known and not given.pop("from_pixels", False):
        return
    if "from_pixels" not in known:
        raise ConfigError(
            f"{call}from_pixels=True)",
            "a task whose observations cannot be images",
            "tasks that have this option; `envpool info` says which",
            "Leave it out, and pass render_mode='rgb_array' to get frames from render()",
        )


def _convert(
    key: str, value: object, default: object, call: str, *, infinite: bool = False, end: str = ")"
) -> object:
    """`value` converted to the type of the option's default."""
    wanted: str
    if value is None and default is None:
        return None
    if key == "render_mode" or key == "autoreset_mode":
        return _choice(key, value, call)
    if isinstance(default, bool):
        if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
            return bool(value)
        wanted = "True or False"
    elif isinstance(default, int):
        whole = as_int(key, value, call)
        check_range(key, whole, -(2**63), _INT64_MAX, call)
        return whole
    elif isinstance(default, float) or key == "reward_threshold":
        number = _as_float(value)
        if number is not None:
            _check_finite(key, number, default, call, infinite=infinite, end=end)
            return number
        wanted = f"a number of {-_FLOAT_MAX:.2g} .. {_FLOAT_MAX:.2g}"
    elif isinstance(default, str):
        if isinstance(value, (str, os.PathLike)):
            text = os.fspath(value)
            if isinstance(text, str) and "\0" not in text:
                return text
        wanted = "a string without a zero byte" if isinstance(value, str) else "a string"
    else:  # lists and maps: the compiled side knows the types of their elements
        return value.tolist() if isinstance(value, np.ndarray) else value
    raise ConfigError(
        f"{call}{key}={shorten(value)}{end}",
        f"{shorten(value)} of type {type(value).__name__}",
        wanted,
        f"Pass {key} as {wanted}; its default is {shorten(default)}",
    )


def _as_float(value: Any) -> float | None:
    """A number that is no bool as a float; None for other values, or greater than results."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    too_large = math.isfinite(number) and abs(number) > _FLOAT_MAX
    return None if too_large else number


def _check_finite(
    key: str, value: object, default: object, call: str, *, infinite: bool = False, end: str = ")"
) -> None:
    """Raises ConfigError if a number in an option is infinite or NaN, unless that is allowed.

    Args:
        key: The option.
        value: Its value: a number, or lists, dicts and arrays of numbers, one in another.
        default: Its default. If it has an infinity or a NaN, other values may have them as well.
        call: As in `complete`.
        infinite: Whether it may be infinite, as bounds without an end.
        end: The text that ends the call.

    """
    usual = [number for number, _ in _not_finite(default)]
    infinite = infinite or any(map(math.isinf, usual))
    nan = any(map(math.isnan, usual))
    for number, place in _not_finite(value):
        if nan if math.isnan(number) else infinite:
            continue
        got = f"{number} at {place}" if place else f"{number}"
        wanted = "numbers, or infinities" if infinite else "finite numbers"
        raise ConfigError(f"{call}{key}={shorten(value)}{end}", got, wanted, f"Correct {key}")


def _not_finite(value: object, place: str = "") -> Iterator[tuple[float, str]]:
    """Infinities and NaN anywhere in a value, and their place: "[2]", or "['limits'][0]"."""
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            yield float(value), place
    elif isinstance(value, np.ndarray):
        if value.dtype.kind == "O":
            yield from _not_finite(value.tolist(), place)
        elif value.dtype.kind == "f":
            for index in np.argwhere(~np.isfinite(value)).tolist():
                yield float(value[tuple(index)]), place + "".join(f"[{i}]" for i in index)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _not_finite(item, f"{place}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _not_finite(item, f"{place}[{i}]")
    elif isinstance(value, (set, frozenset)):
        for item in value:
            yield from _not_finite(item, place)


def _choice(key: str, value: object, call: str) -> object:
    if key == "render_mode":
        choices: tuple[object, ...] = RENDER_MODES
    else:
        choices = AUTORESET_MODES
        # gymnasium.vector.AutoresetMode.NEXT_STEP has the value "NextStep".
        name = getattr(value, "value", None)
        for mode in AUTORESET_MODES:
            if name == mode.title().replace("_", ""):
                return mode
    if isinstance(value, (str, type(None))) and value in choices:
        return value
    names = [choice for choice in choices if isinstance(choice, str)]
    raise ConfigError(
        f"{call}{key}={shorten(value)})",
        shorten(value),
        ", ".join(repr(choice) for choice in choices),
        suggest(value, names, "Pass one of these"),
    )


def _seeds(
    known: Mapping[str, object], given: Mapping[str, object], num_envs: int, call: str
) -> dict[str, object]:
    """The values of `seed` (an int) and `env_seed` (a list: a seed per environment, or empty)."""
    seed = given["seed"] if "seed" in given else known["seed"]
    env_seed = given.get("env_seed")
    has_env_seed = env_seed is not None and not _is_empty(env_seed)
    if is_sequence(seed):
        if has_env_seed:
            raise ConfigError(
                f"{call}seed={shorten(seed)}, env_seed={shorten(env_seed)})",
                "a seed for every environment twice",
                "one of the two",
                "Leave env_seed out",
            )
        return {"seed": 0, "env_seed": seed_list("seed", seed, num_envs, call)}
    if seed is None:
        # 31 bits: every function that takes a seed accepts the number.
        seed = int(np.random.SeedSequence().generate_state(1)[0]) >> 1
    seed = as_int("seed", seed, call)
    check_range("seed", seed, 0, _INT64_MAX - num_envs, call)
    seeds = seed_list("env_seed", env_seed, num_envs, call) if has_env_seed else []
    return {"seed": seed, "env_seed": seeds}


def is_sequence(value: object) -> bool:
    """Whether `value` holds several seeds: a list, a tuple, a range, an array with a dimension."""
    if isinstance(value, Sequence):
        return not isinstance(value, (str, bytes))
    dimensions = getattr(value, "ndim", 0)
    return isinstance(dimensions, int) and dimensions > 0


def _is_empty(value: object) -> bool:
    return is_sequence(value) and len(value) == 0  # type: ignore[arg-type]


def seed_list(key: str, seeds: Any, count: int, call: str) -> list[int]:
    """A checked seed for each of `count` environments.

    Raises:
        ConfigError: If there are more or fewer, or a seed is no whole number of 0 .. 2**63 - 1.
    """
    if not is_sequence(seeds) or len(seeds) != count or getattr(seeds, "ndim", 1) != 1:
        length = f"{len(seeds)} seeds" if is_sequence(seeds) else repr(seeds)
        raise ConfigError(
            f"{call}{key}={shorten(seeds)})",
            length,
            f"an int, or a sequence of {count} ints: one per environment",
            f"Pass {count} seeds",
        )
    checked = [as_int(key, seed, call) for seed in seeds]
    for seed in checked:
        check_range(key, seed, 0, _INT64_MAX, call)
    return checked
