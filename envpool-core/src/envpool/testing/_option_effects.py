# SPDX-License-Identifier: Apache-2.0
"""Checks that each option of a task changes something visible to its user."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._pools.make import make, make_spec
from ..errors import EnvPoolError
from ._actions import random_rows
from ._option_values import OF_EVERY_POOL, num_players

# Options without effects that rows show: seeds, a number for learners, a path that upstream takes
# and does not use, the camera of a frame.
_NOT_IN_ROWS = {"seed", "env_seed", "reward_threshold", "base_path", "render_camera_id"}
_NUM_ENVS = 2
_STEPS = 60
_STEPS_TO_FRAME = 10


def check_option_effects(
    task_id: str,
    *,
    steps: int = _STEPS,
    together: Mapping[str, Mapping[str, object]] | None = None,
    without: Collection[str] = (),
    **config: Any,
) -> list[str]:
    """Checks that each option of a task, with some other value, changes something.

    The change may be in a space, a row of a short random rollout, or a frame. An option that
    changes none of these is lost before the environment, or never read, and is no option of this
    task: see `Task(fixed=...)`. Options whose description says "no effect" are left out.

    Args:
        task_id: The task; its family has to be installed.
        steps: The length of each rollout, of two environments.
        together: Options with which an option has an effect, as
            `{"wind_power": {"enable_wind": True}}`; options that the task does not have are left
            out. If the dict has the option itself, its value is the tried one.
        without: Options that are not tried, because their effect is rare; other tests try them.
        **config: Options of the task that differ from the defaults.

    Returns:
        The options that were tried.

    Raises:
        AssertionError: If options change nothing; names them and the values that were tried.
    """
    spec = make_spec(task_id, **config)
    docs = spec.task.config_docs if spec.task is not None else {}
    known = {
        key: value
        for key, value in spec.options.items()
        if key not in OF_EVERY_POOL | _NOT_IN_ROWS and key not in without and key not in config
        if "no effect" not in docs.get(key, "")
    }
    silent = {}
    rows = _Rows(task_id, steps)
    for key, default in known.items():
        more = (together or {}).get(key, {})
        beside = {**config, **{name: more[name] for name in more if name in spec.options}}
        chosen = (
            [beside.pop(key)] if key in beside else _other_values(task_id, key, default, beside)
        )
        chosen = [value for value in chosen if value != default]
        tried: list[object] = []
        changes = _changes(rows.of, beside, key, chosen, tried)
        if tried and not changes and not _changes(rows.frame, beside, key, list(tried), []):
            silent[key] = tried
    assert not silent, (
        f"Options of {task_id} change nothing: "
        + "; ".join(
            f"{key} (tried: {', '.join(map(repr, tried))})" for key, tried in silent.items()
        )
        + ". A value that is dropped is refused: name the option in Task(fixed=...). Where the "
        "effect needs another option, pass it in `together`."
    )
    return list(known)


def _changes(
    see: Callable[[Mapping[str, object]], bytes],
    beside: Mapping[str, object],
    key: str,
    values: Iterable[object],
    tried: list[object],
) -> bool:
    """Whether some value of an option changes a result; adds the values that were taken."""
    for value in values:
        try:
            found = see({**beside, key: value})
        except EnvPoolError:
            continue  # not every value is an allowed one
        tried.append(value)
        if found != see(beside):
            return True
    return False


def _other_values(
    task_id: str, key: str, default: object, beside: Mapping[str, object]
) -> Iterator[object]:
    """Values of the default's kind, some of them perhaps out of the range."""
    if isinstance(default, bool):
        yield not default
    elif isinstance(default, int):
        yield from (default + 1, default - 1, 2 * default, 2, 3, 5, 0, 20, 64)
    elif isinstance(default, float):
        yield from (
            2 * default + 0.1,
            default / 2 + 0.01,
            default + 1,
            0.0,
            -default - 0.5,
            0.5,
            1.0,
        )
    elif isinstance(default, str):
        try:
            asked: dict[str, Any] = {**beside, key: "?"}
            make_spec(task_id, **asked)
        except EnvPoolError as error:  # its message lists the allowed values
            quoted: list[str] = re.findall(r"'([^']*)'", error.allowed)
            yield from (value for value in quoted if value != default)
    elif isinstance(default, (list, tuple)) and default:
        numbers = np.asarray(default)
        if numbers.dtype.kind in "if":
            yield from ((numbers * 1.1 + 0.05).tolist(), (numbers * 0.9 - 0.01).tolist())
            yield from ((numbers + 1).tolist(), numbers[:-1].tolist())


class _Rows:
    """The results of a pool with some options, as a cached checksum."""

    def __init__(self, task_id: str, steps: int) -> None:
        self._task_id = task_id
        self._steps = steps
        self._kept: dict[str, bytes] = {}

    def of(self, config: Mapping[str, object]) -> bytes:
        """The spaces, and the rows of a rollout."""
        return self._seen(config, {}, self._steps)

    def frame(self, config: Mapping[str, object]) -> bytes:
        """A frame after some steps, if the task draws."""
        return self._seen(config, {"render_mode": "rgb_array"}, _STEPS_TO_FRAME)

    def _seen(self, config: Mapping[str, object], more: dict[str, object], steps: int) -> bytes:
        config = {**config, **more}
        text = repr(sorted(config.items(), key=lambda item: item[0]))
        if text not in self._kept:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the warning that a value is unusual
                self._kept[text] = self._play(config, steps)
        return self._kept[text]

    def _play(self, config: dict[str, Any], steps: int) -> bytes:
        options = {"num_envs": _NUM_ENVS, "num_threads": 1, "seed": 3, **config}
        with make(self._task_id, **options) as pool:
            spaces = (pool.spec.observation_space, pool.spec.action_space)
            seen = hashlib.sha256(repr(spaces).encode())
            rng = np.random.default_rng(0)
            rows = pool.reset()
            _add(seen, rows)
            for _ in range(steps):
                rows = pool.step(random_rows(pool.spec, _NUM_ENVS, num_players(rows[-1]), rng))
                _add(seen, rows)
            if config.get("render_mode") == "rgb_array":
                _add(seen, pool.render())
        return seen.digest()


def _add(seen: Any, values: Any) -> None:
    if isinstance(values, Mapping):
        for key, value in values.items():
            seen.update(str(key).encode())
            _add(seen, value)
    elif isinstance(values, tuple):
        for value in values:
            _add(seen, value)
    else:
        array = np.asarray(values)
        seen.update(f"{array.shape} {array.dtype}".encode())
        seen.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
