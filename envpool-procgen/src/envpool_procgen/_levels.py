# SPDX-License-Identifier: Apache-2.0
"""Pools whose `reset(options=...)` chooses levels.

    pool.reset(options={"level_seed": [3, 7, 7, 12]})     # each environment's next episode
    pool.reset(options={"num_levels": 500, "start_level": 0})   # all later episodes

`LevelEnv` and `LevelPool` wrap the compiled environment and pool, and add this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import ConfigError, StateError, shorten
from envpool.pool_backend import EnvWrapper, PoolBackend, PoolWrapper
from numpy.typing import NDArray

from . import _procgen
from ._tasks import EXPLORATION

if TYPE_CHECKING:
    from envpool.typing import CompiledArray

__all__ = ["PROCGEN", "PROCGEN_DRAWN", "LevelEnv", "LevelPool"]

_HIDDEN = ("draws_frames", "level_table")  # options that this module sets
_MOST = 2**31 - 2


class LevelPool(PoolWrapper):
    """A pool whose environments can be told their levels."""

    def __init__(
        self, compiled: PoolBackend, table: _procgen.LevelTable, config: Mapping[str, Any]
    ) -> None:
        """Keeps the table that environments read when they are reset."""
        super().__init__(compiled)
        self._table = table
        self._config = config

    @property
    def reset_options(self) -> dict[str, Any]:
        """The options of a reset, with the values that apply if they are left out."""
        ranges = {name: self._config[name] for name in ("num_levels", "start_level")}
        return {"level_seed": None, **ranges}

    def set_reset_options(
        self, env_ids: NDArray[np.int32] | None, options: Mapping[str, Any] | None
    ) -> None:
        """Sets the levels that environments play from their next reset on.

        Args:
            env_ids: The environments; None: all.
            options: "level_seed", an int or one for each: the level of the next episode only;
            "num_levels" and "start_level": the range from which other levels are drawn. None:
            removes the levels chosen for the next episode.

        Raises:
            ConfigError: If an option has a wrong value.
            StateError: If environments are in flight.
        """
        ids = range(self._config["num_envs"]) if env_ids is None else env_ids.tolist()
        if options is None:
            for env_id in ids:
                self._table.set_level(env_id, -1)
            return
        call = f"reset(options={shorten(dict(options))}) of {self.task_id}"
        self._check(call, options)
        levels = _levels(call, options["level_seed"], len(ids)) if "level_seed" in options else None
        if {"num_levels", "start_level"} & options.keys():
            number = _whole(call, "num_levels", options.get("num_levels", 0))
            start = _whole(call, "start_level", options.get("start_level", 0))
            for env_id in ids:
                self._table.set_range(env_id, number, start)
        if levels is not None:
            for env_id, level in zip(ids, levels, strict=True):
                self._table.set_level(env_id, level)

    def _check(self, call: str, options: Mapping[str, Any]) -> None:
        if self.inner.num_in_flight:
            raise StateError(
                call,
                f"{self.inner.num_in_flight} results in flight",
                "options where nothing is in flight",
                "Call recv() first",
            )
        for option, value, why in (
            ("use_generated_assets", True, "their states cannot be written"),
            ("distribution_mode", EXPLORATION, "that has one level"),
        ):
            if self._config[option] == value:
                raise ConfigError(
                    call,
                    f"a pool with {option}={value}: {why}",
                    f"pools with another {option}",
                    "Leave the options out, or make another pool",
                )


def _whole(call: str, name: str, value: object) -> int:
    array = np.asarray(value)
    if array.ndim == 0 and array.dtype.kind in "iu":
        return int(array)
    raise ConfigError(call, f"{name}={shorten(value)}", "a whole number", f"Correct {name}")


def _levels(call: str, value: object, count: int) -> list[int]:
    array = np.asarray(value)
    whole = array.dtype.kind in "iu" and array.shape in ((), (count,)) and array.size > 0
    if whole and array.min() >= 0 and array.max() <= _MOST:
        return [int(level) for level in np.broadcast_to(array, (count,))]
    raise ConfigError(
        call,
        f"level_seed={shorten(value)}",
        f"a whole number of 0 .. {_MOST}, or {count} of them, one for each that is reset",
        "Correct level_seed",
    )


class LevelEnv(EnvWrapper):
    """The backend that makes such pools."""

    def __init__(self, compiled: Any, draws_frames: bool) -> None:
        """Keeps the compiled environment, and whether pools render."""
        super().__init__(compiled)
        self._draws_frames = draws_frames

    def default_config(self) -> dict[str, object]:
        """All options by name, with their defaults."""
        return _shown(self.inner.default_config())

    def describe(
        self, config: dict[str, object]
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """The parsed options, the arrays of the state and those of an action."""
        options, state, action = self.inner.describe(config)
        return _shown(options), state, action

    def make(
        self, config: dict[str, object], task_id: str, autoreset_mode: str = "next_step"
    ) -> LevelPool:
        """Builds the environments."""
        options: dict[str, Any] = self.inner.describe(config)[0]
        table = _procgen.LevelTable(options["num_envs"])
        hidden = dict(zip(_HIDDEN, (self._draws_frames, table.number), strict=True))
        compiled = self.inner.make(config | hidden, task_id, autoreset_mode)
        return LevelPool(compiled, table, options)


def _shown(options: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in options.items() if name not in _HIDDEN}


PROCGEN = LevelEnv(_procgen.Procgen, draws_frames=False)
PROCGEN_DRAWN = LevelEnv(_procgen.Procgen, draws_frames=True)
