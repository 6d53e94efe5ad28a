# SPDX-License-Identifier: Apache-2.0
"""Actions and ids as a caller gives them, checked before anything is sent to a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from envpool.errors import ActionError, ConfigError, EnvIdError, shorten
from numpy.typing import NDArray

if TYPE_CHECKING:
    from envpool.typing import CompiledArray

Ids = NDArray[np.int32]
NUM_COMMON = 2
"""Arrays that every action may have, first in the list: env_id and players.env_id."""
_INT64_MAX = 2**63 - 1


class ActionSpec(NamedTuple):
    """What is allowed in an array of an action.

    Attributes:
        dtype: Of the environment's.
        item: The shape of a row.
        low: The least of each number.
        high: The highest.
        most: That of whole numbers from 0 on, without a sign; None for others.
    """

    dtype: np.dtype[Any]
    item: tuple[int, ...]
    low: Any
    high: Any
    most: NDArray[Any] | None

    @classmethod
    def of(cls, array: CompiledArray) -> ActionSpec:
        """That of an array of a pool."""
        _, dtype, shape, low, high, *_ = array
        most = None
        if dtype.kind == "i" and np.all(np.equal(low, 0)):
            most = np.asarray(high).astype(dtype.str.replace("i", "u"))
        return cls(dtype, shape[1:] if shape[:1] == (-1,) else shape, low, high, most)


class ActionRows(NamedTuple):
    """Some rows of an action, each array having the dtype of the environment's."""

    arrays: dict[str, NDArray[Any]]
    players: Ids | None
    """The environment of each row of the arrays that have one for each player; None: one each."""

    def take(self, rows: NDArray[np.intp], ids: Ids, per_player: frozenset[str]) -> ActionRows:
        """The rows of the environments `ids`, which are `rows` of the environments of this."""
        if self.players is None:
            return ActionRows({name: array[rows] for name, array in self.arrays.items()}, None)
        mine = np.flatnonzero(np.isin(self.players, ids))
        arrays = {
            name: array[mine if name in per_player else rows] for name, array in self.arrays.items()
        }
        return ActionRows(arrays, self.players[mine])


class Arguments:
    """Understands what is passed to a pool."""

    def __init__(
        self, actions: Sequence[CompiledArray], num_envs: int, max_players: int, task_id: str
    ) -> None:
        """Keeps what is allowed.

        Args:
            actions: The arrays of an action.
            num_envs: Environments of the pool.
            max_players: Most players in one of them.
            task_id: For messages.
        """
        self._specs = {array[0]: ActionSpec.of(array) for array in actions[NUM_COMMON:]}
        self.per_player = frozenset(a[0] for a in actions[NUM_COMMON:] if a[2][:1] == (-1,))
        self._num_envs, self._max_players, self._task_id = num_envs, max_players, task_id
        self._everybody = np.arange(num_envs, dtype=np.int32)
        # Players in the last result of each environment; -1: there was none.
        self._last_players = np.full(num_envs, 1 if max_players == 1 else -1, np.int32)

    def remember(self, env_ids: Ids, players: Ids | None) -> None:
        """Keeps how many players each environment had in its last result."""
        if players is not None and self._max_players > 1:
            counts = np.bincount(players, minlength=self._num_envs)
            self._last_players[env_ids] = counts[env_ids]

    def ids(self, env_id: Any, what: str = "env_id") -> Ids:
        """Ids as an int32 array; None: all.

        Raises:
            EnvIdError: If they are no whole numbers, or out of range.
        """
        if env_id is None:
            return self._everybody
        if type(env_id) is np.ndarray and env_id.dtype == np.int32 and env_id.ndim == 1:
            # Mostly those of a result. As uint32, negative ones are above all others.
            inside = not len(env_id) or env_id.view(np.uint32).max() < self._num_envs
            if inside:
                return env_id.copy()
        call = f"{what} of {self._task_id}"
        error: Exception | None = None
        try:
            array = np.atleast_1d(np.asarray(env_id))
        except (ValueError, TypeError) as cause:
            array, error = np.empty((0, 0)), cause
        if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
            raise EnvIdError(
                call,
                shorten(env_id),
                "a whole number or a one-dimensional array of them",
                "Pass ids of this pool, see all_env_ids",
            ) from error
        wrong = (array < 0) | (array >= self._num_envs)
        if np.count_nonzero(wrong):
            raise EnvIdError(
                call,
                f"env id {array[wrong][0]}",
                f"0 .. {self._num_envs - 1}",
                "Pass ids of this pool, see all_env_ids",
            )
        return array.astype(np.int32)

    def ids_of_action(self, action: Any, env_id: Any, last: Ids | None) -> Ids:
        """Whom an action is for: what is said, those whose results came last, or everybody."""
        if (  # mostly
            last is not None
            and type(env_id) is np.ndarray
            and (env_id.dtype, env_id.shape) == (last.dtype, last.shape)
            and env_id.tobytes() == last.tobytes()
        ):
            return last
        if env_id is None and isinstance(action, Mapping):
            env_id = action.get("env_id")
        if env_id is not None or last is None or not len(last):
            return self.ids(env_id)
        silent = isinstance(action, Mapping) or (self._max_players > 1 and bool(self.per_player))
        rows = -1 if silent or not hasattr(action, "__len__") else len(action)
        return self._everybody if rows == self._num_envs else last

    def seeds(self, seed: Any, ids: Ids) -> list[int | None] | None:
        """One seed for each environment; None if none is given.

        Raises:
            ConfigError: If there are more or fewer, or one is no whole number from 0.
        """
        if seed is None:
            return None
        try:
            if hasattr(seed, "__index__") and getattr(seed, "ndim", 0) == 0:
                one = int(seed)
                seeds: list[int | None] = [one + i for i in ids.tolist()]
                highest = one + self._num_envs
            else:
                seeds = [None if item is None else item.__index__() for item in seed]
                highest = max((item for item in seeds if item is not None), default=0)
            lowest = min((item for item in seeds if item is not None), default=0)
            if len(seeds) == len(ids) and lowest >= 0 and highest <= _INT64_MAX:
                return seeds
            cause = None
        except (TypeError, AttributeError) as error:
            cause = error
        raise ConfigError(
            f"reset(seed=...) of {self._task_id}",
            shorten(seed),
            f"a whole number from 0, or a sequence of {len(ids)} of them, one for each environment "
            "that is reset",
            "Correct the seed; nothing was reset",
        ) from cause

    def rows(self, action: Any, ids: Ids) -> ActionRows:
        """The arrays of an action.

        Raises:
            ActionError: If a key is missing or unknown, or a shape, dtype or value is wrong.
        """
        given = self._named(action)
        several = self._max_players > 1 or given.get("players.env_id") is not None
        players = self._players(given, ids) if several else None
        owners = ids if players is None else players
        arrays = {
            name: self._array(name, given[name], owners if name in self.per_player else ids)
            for name in self._specs
        }
        return ActionRows(arrays, players)

    def _named(self, action: Any) -> Mapping[str, Any]:
        plain = type(action) is np.ndarray or not isinstance(action, Mapping)
        if len(self._specs) == 1 and plain:
            return {next(iter(self._specs)): action}
        names = ", ".join([*self._specs, "and optionally env_id, players.env_id"])
        call = f"action of {self._task_id}"
        if not isinstance(action, Mapping):
            raise ActionError(
                call, shorten(action), f"a dict of {names}", "See action_space for their names"
            )
        for key in action:
            if key not in self._specs and key not in ("env_id", "players.env_id"):
                raise ActionError(call, f"key {key!r}", names, "Remove or rename the key")
        for key in self._specs:
            if key not in action:
                raise ActionError(call, f"no key {key!r}", names, "Add the key")
        return action

    def _players(self, given: Mapping[str, Any], ids: Ids) -> Ids:
        """The environment of each player's row."""
        call = f"players.env_id of {self._task_id}"
        then = "Pass players.env_id with the environment of each player, as in info"
        if given.get("players.env_id") is not None:
            players = self.ids(given["players.env_id"], "players.env_id")
            if not np.isin(players, ids).all():
                raise ActionError(
                    call, "players of other environments", "players of the envs in env_id", then
                )
        else:
            counts = self._last_players[ids].copy()
            fresh = counts < 0
            sizes = [np.shape(given[name])[:1] for name in self._specs if name in self.per_player]
            rows = sizes[0][0] if sizes and sizes[0] else int(np.where(fresh, 1, counts).sum())
            left = rows - int(counts[~fresh].sum())
            each, rest = divmod(left, int(fresh.sum())) if fresh.any() else (1, left)
            if left < 0 or rest:
                raise ActionError(
                    call,
                    f"{rows} rows for {len(ids)} environments",
                    f"{int(counts[~fresh].sum())} rows, the players of their last results",
                    then,
                )
            counts[fresh] = each
            players = np.repeat(ids, counts)
        most = int(np.bincount(players, minlength=1).max()) if len(players) else 0
        if most > self._max_players:
            raise ActionError(
                call,
                f"{most} players for an environment",
                f"at most max_num_players, {self._max_players}",
                then,
            )
        if self._max_players == 1 and len(players) != len(ids):
            raise ActionError(
                call, f"{len(players)} players", "one player for each env in env_id", then
            )
        return players

    def _array(self, name: str, value: Any, owners: Ids) -> NDArray[Any]:
        dtype, item, low, high, most = self._specs[name]
        if (  # mostly; as unsigned numbers, negative ones are above all others
            most is not None
            and type(value) is np.ndarray
            and value.dtype == dtype
            and value.shape == (len(owners), *item)
            and not np.count_nonzero(value.view(most.dtype) > most)
        ):
            return value.copy()
        call = f"action {name!r} of {self._task_id}"
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as cause:
            raise self._refusal(call, shorten(value), item, owners) from cause
        if array.dtype.kind not in "biuf":
            got = f"{shorten(value)} of dtype {array.dtype}"
            raise self._refusal(call, got, item, owners)
        array = self._shaped(array, item, len(owners))
        if array.shape != (len(owners), *item):
            raise self._refusal(call, f"shape {array.shape}", item, owners)
        if dtype.kind == "f":
            wrong = np.isnan(array) if array.dtype.kind == "f" else np.zeros(1, np.bool_)
            allowed = "numbers that are not NaN"
        else:
            if array.dtype.kind == "f":
                with np.errstate(invalid="ignore"):
                    wrong = (array < low) | (array > high) | (np.floor(array) != array)  # NaN too
            else:
                wrong = (array < low) | (array > high)
            allowed = "whole numbers"
        if np.count_nonzero(wrong):
            if dtype.kind != "f":
                allowed += f" of {np.min(low)} .. {np.max(high)}"
            at = tuple(index[0] for index in np.nonzero(wrong))
            got = f"{array[at]} for env {owners[at[0]]}"
            raise ActionError(call, got, allowed, "Correct the value; nothing was sent")
        return array.astype(dtype)

    def _shaped(self, array: NDArray[Any], item: tuple[int, ...], rows: int) -> NDArray[Any]:
        """Forms that are taken for another: a column of numbers, a lone row, equal rows."""
        if not item and array.shape == (rows, 1):
            return array[:, 0]
        if rows == 1 and array.shape == item:
            return array[None]
        everybody = array.shape == (self._num_envs, *item) and self._num_envs > rows
        return array[:rows] if everybody and (array == array[:1]).all() else array

    @staticmethod
    def _refusal(call: str, got: str, item: tuple[int, ...], owners: Ids) -> ActionError:
        shape = (len(owners), *item)
        return ActionError(call, got, f"numbers of shape {shape}", "Pass one row for each env_id")
