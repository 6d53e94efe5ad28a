# SPDX-License-Identifier: Apache-2.0
"""Ids, seeds and actions as a caller gives them, for pools that are written in Python.

The accepted values, and the words of every refusal, are those of compiled pools
(`sources/binding/arguments.cc`); `envpool.testing` compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ActionError, ConfigError, EnvIdError, shorten

if TYPE_CHECKING:
    from .._backend import CompiledArray

Ids = NDArray[np.int32]
NUM_COMMON = 2
"""Arrays that every action may have, first in the list: env_id and players.env_id."""
_INT64_MAX = 2**63 - 1
_UNSIGNED = {np.dtype(f"i{size}"): np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_COMMON = ("env_id", "players.env_id")
_SEE = "Pass ids of this pool, see all_env_ids"


class ActionSpec(NamedTuple):
    """The values that an array of an action may have.

    Attributes:
        name: The array's name.
        dtype: The environment's dtype.
        item: The shape of a row.
        low: The least value of each number.
        high: The greatest.
        most: The greatest of whole numbers that begin at 0, as unsigned; None for others.
        per_player: Whether it has a row for each player.
    """

    name: str
    dtype: np.dtype[Any]
    item: tuple[int, ...]
    low: Any
    high: Any
    most: NDArray[Any] | None
    per_player: bool

    @classmethod
    def of(cls, array: CompiledArray) -> ActionSpec:
        """The spec of an array of a pool."""
        name, dtype, shape, low, high, *_ = array
        per_player = shape[:1] == (-1,)
        most = None
        if dtype.kind == "i" and not np.any(low):
            most = np.asarray(high).astype(dtype.str.replace("i", "u"))
        return cls(name, dtype, shape[per_player:], low, high, most, per_player)

    def admits(self, array: NDArray[Any]) -> bool:
        """Whether all numbers are allowed, by a fast check; False also for unusual dtypes."""
        if self.most is None:
            kinds = self.dtype.kind + array.dtype.kind
            return kinds == "ff" and not np.count_nonzero(np.isnan(array))
        unsigned = _UNSIGNED.get(array.dtype)  # in which negative numbers exceed all others
        return unsigned is not None and not np.count_nonzero(array.view(unsigned) > self.most)

    def bounds_text(self, element: tuple[int, ...]) -> str:
        """Returns the values that an element of a row may have, as text."""
        if self.dtype.kind == "f":
            return "any number but NaN"
        low, high = (
            int(bound[element] if np.ndim(bound) else bound) for bound in (self.low, self.high)
        )
        return f"whole numbers {low} .. {high}"


class ActionRows(NamedTuple):
    """Rows of an action, each array having the dtype of the environment's."""

    arrays: dict[str, Any]
    players: Ids | None
    """The environment of each row of arrays with a row for each player; None: one player."""

    def take(self, rows: NDArray[np.intp], ids: Ids, per_player: frozenset[str]) -> ActionRows:
        """The rows of the environments `ids`, which have the positions `rows`."""
        if self.players is None:
            return ActionRows({name: array[rows] for name, array in self.arrays.items()}, None)
        mine = np.flatnonzero(np.isin(self.players, ids))
        arrays = {
            name: array[mine if name in per_player else rows] for name, array in self.arrays.items()
        }
        return ActionRows(arrays, self.players[mine])


class PythonArguments:
    """Checks the arguments of a pool's calls and converts them."""

    def __init__(
        self, actions: Sequence[CompiledArray], num_envs: int, max_players: int, task_id: str
    ) -> None:
        """Keeps the limits.

        Args:
            actions: The arrays of an action; the first two belong to every action.
            num_envs: Environments of the pool.
            max_players: The most players in an environment.
            task_id: The task's id for error messages.
        """
        self._specs = [ActionSpec.of(array) for array in actions[NUM_COMMON:]]
        self.per_player = frozenset(spec.name for spec in self._specs if spec.per_player)
        self._num_envs, self._max_players, self._task_id = num_envs, max_players, task_id
        self.all = np.arange(num_envs, dtype=np.int32)
        # Players in the last result of each environment; -1: no result yet.
        self._last_players = np.full(num_envs, 1 if max_players == 1 else -1, np.int32)

    def remember(self, env_ids: Ids, players: Ids | None) -> None:
        """Keeps how many players each environment had in its last result."""
        if players is not None and self._max_players > 1:
            counts = np.bincount(players, minlength=self._num_envs)
            self._last_players[env_ids] = counts[env_ids]

    def ids(self, env_id: Any, what: str = "env_id") -> Ids:
        """Ids as an int32 array; None: all. Error messages show `what`.

        Raises:
            EnvIdError: If an id is no whole number, or out of range.
        """
        if env_id is None:
            return self.all
        # Mostly the ids of a result. As uint32, negative ids are greater than all others.
        is_usual = type(env_id) is np.ndarray and env_id.dtype == np.int32 and env_id.ndim == 1
        if is_usual and (not len(env_id) or env_id.view(np.uint32).max() < self._num_envs):
            usual: Ids = env_id.copy()
            return usual
        call = f"{what} of {self._task_id}"
        numbers = "a whole number or a one-dimensional array of them"
        try:
            array = np.atleast_1d(np.asarray(env_id))
        except (ValueError, TypeError) as cause:
            raise EnvIdError(call, shorten(env_id), numbers, _SEE) from cause
        if array.ndim > 1:
            raise EnvIdError(call, f"an array of {array.ndim} dimensions", numbers, _SEE)
        if array.dtype.kind not in "iu" and array.size:
            got = f"{shorten(env_id)} of dtype {array.dtype}"
            raise EnvIdError(call, got, numbers, _SEE)
        wrong = (array < 0) | (array >= self._num_envs)
        if wrong.any():
            allowed = f"0 .. {self._num_envs - 1}"
            raise EnvIdError(call, f"env id {array[wrong][0]}", allowed, _SEE)
        return array.astype(np.int32)

    def ids_of_action(self, action: Any, env_id: Any, last: Ids | None) -> Ids:
        """Returns the ids of an action: the given ids, the last received ids (`last`), or all."""
        if (  # mostly
            last is not None
            and type(env_id) is np.ndarray
            and (env_id.dtype, env_id.shape) == (last.dtype, last.shape)
            and env_id.tobytes() == last.tobytes()
        ):
            return last
        is_dict = isinstance(action, Mapping)
        if env_id is None and is_dict:
            env_id = action.get("env_id")
        if env_id is not None or last is None or last is self.all or not len(last):
            return self.ids(env_id)
        # With a row for each player, the number of rows does not determine the environments.
        silent = is_dict or (self._max_players > 1 and bool(self.per_player))
        is_number = silent or not hasattr(action, "__len__") or getattr(action, "ndim", 1) == 0
        rows = -1 if is_number else len(action)
        return self.all if rows == self._num_envs else last

    def seeds(self, seed: Any, ids: Ids) -> list[int] | None:
        """One seed for each of `ids`; None if none is given.

        Raises:
            ConfigError: If there are more or fewer, or a seed is negative or no whole number.
        """
        if seed is None:
            return None
        got, cause = shorten(seed), None
        try:
            if hasattr(seed, "__index__") and getattr(seed, "ndim", 0) == 0:
                base = seed.__index__()
                if 0 <= base <= _INT64_MAX - self._num_envs:
                    return [base + i for i in ids.tolist()]
                got = str(base)
            else:
                seeds = [-1 if one is None else one.__index__() for one in seed]
                if all(one <= _INT64_MAX for one in seeds):
                    if len(seeds) != len(ids):
                        got = f"{len(seeds)} seeds"
                    elif min(seeds, default=0) >= 0:
                        return seeds
        except (TypeError, AttributeError) as error:
            cause = error
        raise ConfigError(
            f"reset(seed=...) of {self._task_id}",
            got,
            f"a whole number from 0, or a sequence of {len(ids)} of them, one for each environment "
            "that is reset",
            "Correct the seed; nothing was reset",
        ) from cause

    def rows(self, action: Any, ids: Ids) -> ActionRows:
        """The arrays of an action, copied.

        Raises:
            ActionError: If a key is missing or unknown, or a shape, dtype or value is wrong.
        """
        if self._max_players == 1 and len(self._specs) == 1 and not isinstance(action, Mapping):
            return ActionRows({self._specs[0].name: self.single_array(action, ids)}, None)  # mostly
        given = self._named(action)
        told = self._max_players > 1 or given.get("players.env_id") is not None
        players = self._players(given, ids) if told else None
        arrays = {}
        for spec in self._specs:
            per_player = players is not None and spec.per_player
            owners = players if per_player and players is not None else ids
            arrays[spec.name] = self._array(spec, given[spec.name], owners, per_player)
        if players is None or self._max_players > 1:
            return ActionRows(arrays, players)
        rows = np.empty(self._num_envs, np.intp)  # one player each, in an order given by the action
        rows[players] = np.arange(len(players))
        order = rows[ids]
        return ActionRows(
            {name: a[order] if name in self.per_player else a for name, a in arrays.items()}, None
        )

    def single_array(self, action: Any, ids: Ids) -> Any:
        """The array of an action that has one, for one player in each environment.

        Raises:
            ActionError: See `rows`.
        """
        if type(action) is np.ndarray or not isinstance(action, Mapping):
            return self._array(self._specs[0], action, ids)
        return next(iter(self.rows(action, ids).arrays.values()))

    def _named(self, action: Any) -> Mapping[str, Any]:
        call = f"action of {self._task_id}"
        if not isinstance(action, Mapping):
            if len(self._specs) == 1:
                return {self._specs[0].name: action}
            raise ActionError(
                call,
                shorten(action),
                "a dict, because this task has several action arrays",
                "See action_space for their names",
            )
        known = [spec.name for spec in self._specs]
        names = f"{', '.join(known)}, and optionally env_id, players.env_id"
        for key in action:
            if key not in known and key not in _COMMON:
                raise ActionError(call, f"key {shorten(key)}", names, "Remove or rename the key")
        for key in known:
            if key not in action:
                raise ActionError(call, f"no key '{key}'", names, "Add the key")
        return action

    def _players(self, given: Mapping[str, Any], ids: Ids) -> Ids:
        """The environment of each player's row."""
        if given.get("players.env_id") is not None:
            players = self.ids(given["players.env_id"], "players.env_id")
        else:
            players = np.repeat(ids, self._counts(given, ids))
        counts = np.bincount(players, minlength=self._num_envs)
        named = np.zeros(self._num_envs, np.bool_)
        named[ids] = True
        wrong = ~named[players] | (counts[players] > self._max_players)
        if wrong.any():
            env_id = players[wrong][0]
            if not named[env_id]:
                got, allowed = f"a player of env {env_id}", "players of the envs in env_id"
            else:
                got = f"more than {self._max_players} players for env {env_id}"
                allowed = f"at most max_num_players, {self._max_players}"
            raise self._refused_players(got, allowed)
        lacking = ids[counts[ids] == 0]
        if self._max_players == 1 and len(lacking):
            got, allowed = f"no player for env {lacking[0]}", "one player for each env in env_id"
            raise self._refused_players(got, allowed)
        return players

    def _counts(self, given: Mapping[str, Any], ids: Ids) -> NDArray[np.int32]:
        """The number of players in each environment, where no array has the owners of rows.

        The number is that of its last result. An environment without a result takes its first
        action for a reset and reads no row: several of these have equally many.
        """
        counts = self._last_players[ids].copy()
        fresh = counts < 0
        number = int(fresh.sum())
        last = int(counts[~fresh].sum())
        sizes = [np.shape(given[spec.name]) for spec in self._specs if spec.per_player]
        rows = next((shape[0] for shape in sizes if shape), -1)
        each = 1 if rows < 0 or not number else (rows - last) // number
        if rows >= 0 and (rows < last or rows != last + number * each):
            more = f", and equally many for each of the {number} that have none yet"
            raise self._refused_players(
                f"{rows} rows for {len(ids)} environments",
                f"{last} rows, the players of their last results" + (more if number else ""),
            )
        counts[fresh] = each
        return counts

    def _refused_players(self, got: str, allowed: str) -> ActionError:
        return ActionError(
            f"players.env_id of {self._task_id}",
            got,
            allowed,
            "Pass players.env_id with the environment of each player, as in info",
        )

    def on_host(self, value: Any) -> Any:
        """The numbers of an action as an array of NumPy.

        A pool whose actions stay on a device returns an object with `shape`, `dtype`, `reshape` and
        `astype` in its place: its values are not checked.
        """
        return np.asarray(value)

    def _array(self, spec: ActionSpec, value: Any, owners: Ids, players: bool = False) -> Any:
        shape = (len(owners), *spec.item)
        if type(value) is np.ndarray and value.shape == shape and spec.admits(value):  # mostly
            return value.astype(spec.dtype, order="C")
        numbers = f"numbers of shape {shape}"
        try:
            array = self.on_host(value)
        except Exception as cause:
            raise self._refusal(spec, shorten(value), numbers) from cause
        if array.dtype.kind not in "biuf":
            raise self._refusal(spec, f"{shorten(value)} of dtype {array.dtype}", numbers)
        array = self._shaped(array, shape, spec.item)
        if array.shape != shape:
            per = "player" if players and self._max_players > 1 else "environment id"
            raise self._refusal(spec, f"shape {array.shape}", f"shape {shape}, one row per {per}")
        if type(array) is not np.ndarray:
            if array.dtype.kind == "f" and spec.dtype.kind != "f":
                raise self._refusal(spec, f"dtype {array.dtype}", spec.bounds_text(()))
            return array if array.dtype == spec.dtype else array.astype(spec.dtype)
        self._check_values(spec, array, owners)
        return array.astype(spec.dtype, order="C")

    def _shaped(self, array: Any, shape: tuple[int, ...], item: tuple[int, ...]) -> Any:
        """Converts other accepted forms: a column of numbers, a lone row, equal rows for all."""
        rows = shape[0]
        if array.shape == shape:
            return array
        if (not item and array.shape == (rows, 1)) or (rows == 1 and array.shape == item):
            return array.reshape(shape)
        everybody = array.shape == (self._num_envs, *item) and self._num_envs > rows
        # Rows for all may be a mistake, unless all rows are equal.
        is_plain = type(array) is np.ndarray and array.dtype.kind != "O"
        if everybody and is_plain and (array == array[:1]).all():
            return array[:rows]
        return array

    def _check_values(self, spec: ActionSpec, array: NDArray[Any], owners: Ids) -> None:
        if spec.dtype.kind == "f":
            if array.dtype.kind != "f":
                return
            wrong = np.isnan(array)
        else:
            with np.errstate(invalid="ignore"):
                wrong = ~((array >= spec.low) & (array <= spec.high))  # NaN is neither
                if array.dtype.kind == "f":
                    wrong |= np.floor(array) != array
        if np.count_nonzero(wrong):
            at = tuple(int(index[0]) for index in np.nonzero(wrong))
            number = array[at]
            text = f"{number:g}" if array.dtype.kind == "f" else str(int(number))
            got = f"{text} for env {owners[at[0]]}"
            raise self._refusal(spec, got, spec.bounds_text(at[1:]))

    def _refusal(self, spec: ActionSpec, got: str, allowed: str) -> ActionError:
        return ActionError(
            f"action '{spec.name}' of {self._task_id}",
            got,
            allowed,
            "Correct the action; nothing was sent",
        )
