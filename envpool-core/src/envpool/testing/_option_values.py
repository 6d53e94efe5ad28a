# SPDX-License-Identifier: Apache-2.0
"""Tries right and wrong values of options: each is refused or works."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._pools.make import make, make_spec
from ..errors import ConfigError, MissingPackageError, shorten
from ._actions import random_rows

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .._pools.base import EnvPoolMixin

SECONDS = 1.0
"""Limit of the time for refusing a value, or for a pool beyond its usual time, in seconds."""
_STEPS = 3
_NUM_ENVS = 2
# Options of every task, with ranges that allow pools of gigabytes; core's own tests try them.
OF_EVERY_POOL = {
    *("num_envs", "batch_size", "num_threads", "max_num_players", "thread_affinity_offset"),
    *("gym_reset_return_info", "render_mode", "render_env_id", "autoreset_mode"),
}
_NUMBERS = (
    *(0, 1, -1, 2, 3, 17, 255, 1000, 4097, 10**6),
    *(2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63, 2**64, -(2**63), 10**400),
    *(0.0, -0.0, 0.5, 1.0, -1.0, 3.0, 1e-320, 1e6, -1e6, 1e39, 1e308, -1e308),
    *(math.nan, math.inf, -math.inf, 1j, True, False),
    *(np.float32(0.5), np.float64("nan"), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True)),
)
_TEXTS = (
    *("", "x", "0", "1", "nan", "None", "true", "a b", "../..", "/", ".", "/nowhere/at all"),
    *("\0", "a\0b", "\ud800", "é", "%s%n", "x" * 5000, "<mujoco/>", "<", b"", b"x", b"\xff\0"),
)
_OTHERS: tuple[Any, ...] = (
    *(None, object(), int, len, slice(3), range(3), {1, 2}, {"a": math.nan}, {"a": [math.inf]}),
    *({}, {1: 2}, {"a": 1.0}, [], [[]], [None], [1, "a"], [math.nan], [math.inf], [1e39], ["a"]),
    *([1], [0.5, 0.5], [1, 2, 3], [2**31], [-1], [[1, 2], [3]], (), (1, 2), (0.5,), ["\0"]),
    *(np.zeros(()), np.zeros(0), np.zeros(3), np.ones((2, 2), np.int64), np.array("a")),
    *(np.array([math.nan]), np.array([None]), np.full(3, True), [0] * 5000, ["a"] * 5000),
)


class OptionValues(NamedTuple):
    """The number of tried values, and of refused and taken ones."""

    refused: int = 0
    taken: int = 0

    def __str__(self) -> str:
        """As "70 tried: 60 refused, 10 taken"."""
        return f"{sum(self)} tried: {self.refused} refused, {self.taken} taken"


def check_option_values(
    task_id: str,
    *,
    examples: int = 100,
    seconds: float = SECONDS,
    without: Collection[str] = (),
    **config: Any,
) -> OptionValues:
    """Checks that options and reset options take a value, or refuse it with ConfigError, at once.

    Hypothesis draws values of all kinds: numbers out of any range, NaN, texts, containers, arrays,
    objects. Where `make` takes them, a pool is reset and stepped, and every observation and reward
    is finite.

    Args:
        task_id: The task; its family has to be installed.
        examples: The number of values, or pairs of two options, that are tried; as many again of
            reset options, where the task has some.
        seconds: The limit for each value, in addition to a pool's own time with the defaults.
        without: Options that are not tried.
        **config: Options of the task that differ from the defaults.

    Returns:
        The numbers of tried, refused and taken values.

    Raises:
        AssertionError: If a value raises another error, takes longer, or leads to rows that are
            not finite; names the option and the value.
        MissingPackageError: If hypothesis is not installed.
    """
    spec = make_spec(task_id, **config)
    options = {
        key: value
        for key, value in spec.options.items()
        if key not in OF_EVERY_POOL and key not in without
    }
    allowed = seconds + 2 * min(_timed(lambda: _try(task_id, config)) for _ in range(2))
    found = _run(
        examples,
        options,
        lambda values: _attempt(
            f"make({task_id!r}", values, allowed, lambda: _try(task_id, config | values)
        ),
    )
    with make(task_id, num_envs=_NUM_ENVS, num_threads=1, **config) as pool:
        known: Mapping[str, Any] = pool.compiled.reset_options or {}
        if known:
            pool.reset()
            after = _run(
                examples,
                known,
                lambda values: _attempt(
                    f"reset of {task_id!r} (options",
                    values,
                    allowed,
                    lambda: _try_reset(pool, values),
                ),
            )
            found = OptionValues(found.refused + after.refused, found.taken + after.taken)
    return found


def _run(
    examples: int, options: Mapping[str, Any], attempt: Callable[[dict[str, Any]], bool]
) -> OptionValues:
    try:
        from hypothesis import HealthCheck, given, settings
    except ImportError as cause:
        raise MissingPackageError(
            "check_option_values()", "no hypothesis", "hypothesis", "Run `pip install hypothesis`"
        ) from cause
    taken: list[bool] = []

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(_some_values(options))
    def run(values: dict[str, Any]) -> None:
        taken.append(attempt(values))

    if options:
        run()
    return OptionValues(taken.count(False), taken.count(True))


def _some_values(options: Mapping[str, Any]) -> SearchStrategy[dict[str, Any]]:
    """Values for one option, or for two options."""
    from hypothesis import strategies as st

    one = st.sampled_from(sorted(options)).flatmap(
        lambda key: _values(options[key]).map(lambda value: {key: value})
    )
    return one | st.builds(lambda a, b: a | b, one, one)


def _values(default: Any) -> SearchStrategy[Any]:
    """Values of any kind, more of them of the default's kind."""
    from hypothesis import strategies as st

    anything = st.sampled_from((*_NUMBERS, *_TEXTS, *_OTHERS))
    if isinstance(default, bool):
        return st.sampled_from((True, False, 0, 1, 2, math.nan, None, np.bool_(True))) | anything
    if isinstance(default, (int, float)):
        near = tuple(default * factor for factor in (-1, 2, 10, 1000)) if default else (1, 5)
        return st.sampled_from((*_NUMBERS, *near)) | anything
    if isinstance(default, str):
        return st.sampled_from((default, *_TEXTS)) | st.text(max_size=20) | anything
    if isinstance(default, (list, tuple)) and default:
        item = st.sampled_from((*default, *_NUMBERS, *_TEXTS))
        return st.lists(item, max_size=len(default) + 2) | anything
    return anything


def _attempt(call: str, values: Mapping[str, Any], allowed: float, act: Callable[[], None]) -> bool:
    """Whether the values were taken; raises AssertionError where they were not refused well."""
    text = f"{call}, {', '.join(f'{key}={shorten(value)}' for key, value in values.items())})"
    elapsed = math.inf
    taken = False
    for _ in range(3):  # other programs take time, too
        before = time.perf_counter()
        try:
            act()
            taken = True
        except (ConfigError, MissingPackageError) as refused:
            str(refused)  # the error can be printed
            taken = False
        except AssertionError as wrong:
            raise AssertionError(f"{text}: {wrong}") from None
        except Exception as error:
            raise AssertionError(
                f"{text} raised {type(error).__name__} ({error}). A wrong value of an option is "
                "refused with ConfigError when the pool is made, a reset option by the reset."
            ) from error
        elapsed = min(elapsed, time.perf_counter() - before)
        if elapsed <= allowed:
            return taken
    raise AssertionError(
        f"{text} took {elapsed:.1f} s. A value is refused, or tried, within {allowed:.1f} s: give "
        "the option a bound, since nobody hears Ctrl-C during a step."
    )


def _timed(act: Callable[[], None]) -> float:
    before = time.perf_counter()
    act()
    return time.perf_counter() - before


def _try(task_id: str, config: Mapping[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning that a value is unusual
        with make(task_id, **{"num_envs": _NUM_ENVS, "num_threads": 1, **config}) as pool:
            obs, info = pool.reset()
            _require_finite("reset", [obs])
            _step(pool, info)


def _try_reset(pool: EnvPoolMixin, options: Mapping[str, Any]) -> None:
    obs, info = pool.reset(options=dict(options))  # type: ignore[attr-defined]
    _require_finite("reset", [obs])
    _step(pool, info)


def _step(pool: EnvPoolMixin, info: Mapping[str, Any]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(_STEPS):
        actions = random_rows(pool.spec, _NUM_ENVS, num_players(info), rng)
        obs, reward, _, _, info = pool.step(actions)  # type: ignore[attr-defined]
        _require_finite("step", [obs, reward])


def num_players(info: Mapping[str, Any]) -> int:
    """The number of players in all environments: the rows of the next action."""
    return len(info["players"]["env_id"]) if "players" in info else len(info["env_id"])


def _require_finite(call: str, values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, Mapping):
            _require_finite(call, value.values())
        elif isinstance(value, tuple):
            _require_finite(call, value)
        elif np.asarray(value).dtype.kind == "f" and not np.isfinite(value).all():
            raise AssertionError(f"{call} returned numbers that are not finite: {value!r}")
