# SPDX-License-Identifier: Apache-2.0
"""Ids, seeds and actions as a caller gives them, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from envpool.errors import ActionError, ConfigError, EnvIdError, shorten
from numpy.typing import NDArray

from ._describe import Array
from ._leaves import leaves, name_of

Ids = NDArray[np.int32]
_MOST = 2**63 - 1
_UNSIGNED = {np.dtype(f"i{size}"): np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


class Arguments:
    """Understands what is passed to a pool."""

    def __init__(self, actions: Sequence[Array], num_envs: int, task_id: str) -> None:
        """Keeps what is allowed.

        Args:
            actions: The arrays of an action.
            num_envs: Environments of the pool.
            task_id: For messages.
        """
        self._specs = {array.name: array for array in actions}
        self._highest = {array.name: array.highest for array in actions}
        self._num_envs, self._task_id = num_envs, task_id
        self.all = np.arange(num_envs, dtype=np.int32)

    def ids(self, env_id: Any, call: str = "step or send to") -> Ids:
        """Ids as an int32 array of its own; None: all.

        Args:
            env_id: What was given.
            call: For the message about an id that is there twice.

        Raises:
            EnvIdError: If they are no whole numbers, out of range, or one is there twice.
        """
        if env_id is None:
            return self.all
        ids = self._read_ids("env_id", env_id)
        counts = np.bincount(ids, minlength=1)
        if counts.max(initial=0) > 1:
            raise EnvIdError(
                f"{call} {self._task_id}",
                f"env {counts.argmax()} twice",
                "every env id once per call",
                "Remove the duplicate",
            )
        return ids

    def _read_ids(self, name: str, given: Any) -> Ids:
        """Whole numbers that are ids of this pool, as int32. Raises EnvIdError for others."""
        call = f"{name} of {self._task_id}"
        try:
            array = np.atleast_1d(np.asarray(given))
            usable = array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)
        except (ValueError, TypeError):
            usable = False
        if not usable:
            raise EnvIdError(
                call,
                shorten(given),
                "a whole number or a one-dimensional array of them",
                "Pass ids of this pool, see all_env_ids",
            )
        outside = (array < 0) | (array >= self._num_envs)
        if outside.any():
            raise EnvIdError(
                call,
                f"env id {array[outside][0]}",
                f"0 .. {self._num_envs - 1}",
                "Pass ids of this pool, see all_env_ids",
            )
        return array.astype(np.int32)

    def has_row_for_all(self, action: Any) -> bool:
        """Whether an action without ids has as many rows as the pool has environments."""
        if isinstance(action, (Mapping, tuple)) or np.ndim(action) == 0:
            return False
        return len(action) == self._num_envs

    def seeds(self, seed: Any, ids: Ids) -> list[int] | None:
        """One seed for each of `ids`; None if none is given.

        Raises:
            ConfigError: If there are more or fewer, or one is no whole number from 0.
        """
        if seed is None:
            return None
        try:
            if hasattr(seed, "__index__") and not getattr(seed, "ndim", 0):
                seeds = [seed.__index__() + i for i in ids.tolist()]
            else:
                seeds = [one.__index__() for one in seed]
            if len(seeds) == len(ids) and all(0 <= one <= _MOST for one in seeds):
                return seeds
        except (TypeError, AttributeError):
            pass
        raise ConfigError(
            f"reset(seed=...) of {self._task_id}",
            shorten(seed),
            f"a whole number from 0, or a sequence of {len(ids)} of them, one for each environment "
            "that is reset",
            "Correct the seed; nothing was reset",
        )

    def action(self, action: Any, ids: Ids) -> dict[str, Any]:
        """The arrays of an action by their names, a row for each of `ids`.

        What is a JAX array on another device than the CPU stays there, and its values are not
        looked at, since that would wait for them.

        Raises:
            ActionError: If a key is missing or unknown, or a shape, dtype or value is wrong.
        """
        if type(action) is np.ndarray and len(self._specs) == 1:
            (name,) = self._specs
            return {name: self._array(self._specs[name], action, ids)}
        given = self._named(action)
        arrays = {name: self._array(spec, given[name], ids) for name, spec in self._specs.items()}
        if "players.env_id" not in given:
            return arrays
        order = self._rows_of(given["players.env_id"], ids)
        return {name: array[order] for name, array in arrays.items()}

    def _rows_of(self, players: Any, ids: Ids) -> NDArray[np.intp]:
        """The row of each environment where players are told in an order of their own.

        Raises:
            ActionError: If an environment has no player, or more than one.
            EnvIdError: If one is of an environment that is not among `ids`.
        """
        owners = self._read_ids("players.env_id", players)
        counts = np.bincount(owners, minlength=self._num_envs)
        wrong = ""
        if counts.max(initial=0) > 1:
            wrong = f"more than 1 players for env {counts.argmax()}"
            allowed = "at most max_num_players, 1"
        elif (lacking := ids[counts[ids] == 0]).size:
            wrong = f"no player for env {lacking[0]}"
            allowed = "one player for each env in env_id"
        elif len(owners) > len(ids):
            others = owners[~np.isin(owners, ids)]
            wrong = f"a player for env {others[0]}"
            allowed = "players of the environments in env_id"
        if wrong:
            raise ActionError(
                f"players.env_id of {self._task_id}",
                wrong,
                allowed,
                "Pass players.env_id with the environment of each player, as in info",
            )
        rows = np.zeros(self._num_envs, np.intp)
        rows[owners] = np.arange(len(owners))
        return rows[ids]

    def _named(self, action: Any) -> Mapping[str, Any]:
        if len(self._specs) == 1 and not isinstance(action, Mapping):
            return {next(iter(self._specs)): action}
        if isinstance(action, tuple):  # of a Tuple space
            action = {name_of(path): value for path, value in leaves(action)}
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

    def _array(self, spec: Array, value: Any, ids: Ids) -> Any:
        shape = (len(ids), *spec.shape)
        value = self._without_equal_rows(spec, value, len(ids))
        if type(value) is np.ndarray and value.shape == shape and self._are_usual(spec, value):
            return value.astype(spec.dtype)  # a copy: the caller may overwrite its own
        call = f"action {spec.name!r} of {self._task_id}"
        value = _on_its_device(value)
        if isinstance(value, jax.Array) and not _is_on_cpu(value):
            if (value.shape == (len(ids), 1) and not spec.shape) or (
                len(ids) == 1 and value.shape == spec.shape
            ):
                value = value.reshape(shape)
            if value.shape != shape or (value.dtype.kind not in "biu" and spec.dtype.kind != "f"):
                raise self._refusal(call, f"{value.dtype} of shape {value.shape}", shape)
            return value if value.dtype == spec.dtype else value.astype(spec.dtype)
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as cause:
            raise self._refusal(call, shorten(value), shape) from cause
        if array.dtype.kind not in "biuf":
            raise self._refusal(call, f"{shorten(value)} of dtype {array.dtype}", shape)
        # A column of numbers, and the action of a lone environment without an axis of rows.
        column = not spec.shape and array.shape == (len(ids), 1)
        if column or (len(ids) == 1 and array.shape == spec.shape):
            array = array.reshape(shape)
        if array.shape != shape:
            raise self._refusal(call, f"shape {array.shape}", shape)
        self._check_values(call, spec, array, ids)
        return array.astype(spec.dtype)

    def _without_equal_rows(self, spec: Array, value: Any, count: int) -> Any:
        """Rows for all environments where ids name fewer: if all are the same, as many as needed.

        Then it does not matter whose row is whose; otherwise it may be a mistake.
        """
        if type(value) is not np.ndarray or count == self._num_envs:
            return value
        if value.shape != (self._num_envs, *spec.shape) or value.dtype.kind not in "biuf":
            return value
        return value[:count] if (value == value[:1]).all() else value

    def _are_usual(self, spec: Array, values: NDArray[Any]) -> bool:
        """Whether these are whole numbers from 0 to one highest; quick, and False if in doubt."""
        highest, unsigned = self._highest[spec.name], _UNSIGNED.get(values.dtype)
        if highest is None or unsigned is None or not values.size:
            return False
        # As unsigned numbers, negative ones are above all others.
        return bool(values.view(unsigned).max() <= highest)

    def _check_values(self, call: str, spec: Array, array: NDArray[Any], ids: Ids) -> None:
        if spec.dtype.kind == "f":
            wrong, allowed = np.isnan(array), "numbers that are not NaN"
        else:
            with np.errstate(invalid="ignore"):
                wrong = ~((array >= spec.low) & (array <= spec.high))  # NaN is neither
                if array.dtype.kind == "f":
                    wrong |= np.floor(array) != array
            low, high = np.min(spec.low), np.max(spec.high)
            allowed = f"whole numbers {low} .. {high}"
        if wrong.any():
            where = tuple(index[0] for index in np.nonzero(wrong))
            raise ActionError(
                call,
                f"{array[where]} for env {ids[where[0]]}",
                allowed,
                "Correct the action; nothing was sent",
            )

    @staticmethod
    def _refusal(call: str, got: str, shape: tuple[int, ...]) -> ActionError:
        return ActionError(
            call,
            got,
            f"numbers of shape {shape}, one row per environment id",
            "Correct the action; nothing was sent",
        )


def _is_on_cpu(array: jax.Array) -> bool:
    return all(device.platform == "cpu" for device in array.devices())


def _on_its_device(value: Any) -> Any:
    """A tensor of PyTorch as an array: NumPy's on the CPU, else JAX's, without a copy."""
    if not (hasattr(value, "detach") and hasattr(value, "device")):
        return value
    tensor = value.detach()
    if tensor.device.type == "cpu":
        return tensor.numpy()
    if "64" in str(tensor.dtype):  # which JAX has only when it is told to
        tensor = tensor.float() if tensor.is_floating_point() else tensor.int()
    return jax.numpy.from_dlpack(tensor)
