# SPDX-License-Identifier: Apache-2.0
"""KeptObservation: adds resets of some environments, as gymnasium.vector has them, to a pool.

Compiled pools have these resets already. For pools in Python this class keeps the last observation.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import PoolBackend, PoolWrapper
from ..errors import StateError, WorkerError


class KeptObservation(PoolWrapper):
    """Another pool, and the observation that it has returned last."""

    def __init__(self, inner: PoolBackend, num_envs: int, copies: bool) -> None:
        """Keeps nothing yet.

        Args:
            inner: The pool.
            num_envs: Its environments.
            copies: Whether a copy is kept from the first result on; else it is the result itself,
                and a copy from the first `reset_some` on.
        """
        super().__init__(inner)
        self._num_envs, self._copies = num_envs, copies
        self._last: Any = None  # None: not known

    def _kept(self, result: Any) -> Any:
        """A result, of which the observation is kept if it has a row for each environment."""
        rows = next((len(leaf) for leaf in _leaves(result[0])), self._num_envs)
        if rows != self._num_envs:
            self._last = None
        else:
            self._last = _copy(result[0]) if self._copies else result[0]
        return result

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Is `send` and `recv` in one."""
        try:
            return self._kept(self.inner.step(action, env_id))
        except WorkerError:
            self._last = None  # the rows of the other environments are still to be received
            raise

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts steps."""
        self.inner.send(action, env_id)
        self._last = None

    def recv(self, reset: bool = False, timeout: float | None = None) -> Any:
        """Waits for a batch."""
        return self._kept(self.inner.recv(reset, timeout))

    def reset(self, env_id: object = None, seed: object = None) -> Any:
        """Is `async_reset` and `recv(True)` in one."""
        try:
            return self._kept(self.inner.reset(env_id, seed))
        except WorkerError:
            self._last = None
            raise

    def async_reset(self, env_id: object = None, seed: object = None) -> None:
        """Starts episodes."""
        self.inner.async_reset(env_id, seed)
        self._last = None

    def load_state(self, states: Sequence[bytes], env_ids: NDArray[np.int32]) -> None:
        """Loads states, which do not have their observations."""
        self.inner.load_state(states, env_ids)
        self._last = None

    def close(self) -> None:
        """Closes the pool."""
        self.inner.close()
        self._last = None

    def reset_some(self, env_ids: Any, seed: Any = None) -> Any:
        """Resets environments, and returns rows of all; see `PoolBackend.reset_some`."""
        if self._last is None and len(env_ids) < self._num_envs:
            raise StateError(
                f"reset(options={{'reset_mask': ...}}) of {self.task_id}",
                "a mask for some environments, where the last observation of the others is unknown",
                "a mask after a reset or a step of all environments",
                "Call reset() first",
            )
        groups = [(env_ids, seed)]
        if isinstance(seed, Sequence) and None in seed:
            given = np.asarray([value is not None for value in seed], np.bool_)
            known = [value for value in seed if value is not None]
            groups = [(env_ids[given], known), (env_ids[~given], None)]
        obs, info = self._last, None
        if obs is not None and not self._copies:
            obs = _copy(obs)
        self._copies = True
        try:
            for ids, seeds in groups:
                if len(ids):
                    new_obs, new_info = self.inner.reset(ids, seeds)
                    obs = self._put(obs, new_obs, ids)
                    info = self._put(info, new_info, ids)
        except WorkerError:
            self._last = None
            raise
        self._last = obs
        return _copy(obs), info

    def _put(self, all_rows: Any, new: Any, ids: Any) -> Any:
        """`new` in the rows `ids` of arrays for all environments, which may not exist yet."""
        if isinstance(new, dict):
            base = all_rows or {}
            return {key: self._put(base.get(key), leaf, ids) for key, leaf in new.items()}
        if isinstance(new, tuple) and _is_text(new):
            texts = [""] * self._num_envs if all_rows is None else list(all_rows)
            for env_id, text in zip(ids, new, strict=True):
                texts[env_id] = text
            return tuple(texts)
        if isinstance(new, tuple):
            bases = (None,) * len(new) if all_rows is None else all_rows
            return tuple(self._put(old, leaf, ids) for old, leaf in zip(bases, new, strict=True))
        if all_rows is None:
            nothing = None if new.dtype == object else 0
            all_rows = np.full((self._num_envs, *new.shape[1:]), nothing, new.dtype)
        all_rows[ids] = _copy(new)
        return all_rows


def _leaves(tree: Any) -> Iterator[Any]:
    """Arrays and batches of texts. Spaces without any are allowed: an empty Dict or Tuple."""
    if isinstance(tree, dict):
        tree = tuple(tree.values())
    elif not isinstance(tree, tuple) or _is_text(tree):
        yield tree
        return
    for branch in tree:
        yield from _leaves(branch)


def _is_text(leaf: tuple[Any, ...]) -> bool:
    """Whether this is not a tuple of arrays but a batch of texts, which Gymnasium has in tuples."""
    return bool(leaf) and isinstance(leaf[0], str)


def _copy(tree: Any) -> Any:
    """Arrays with memory of their own, and so are the arrays in arrays of objects."""
    if isinstance(tree, dict):
        return {key: _copy(leaf) for key, leaf in tree.items()}
    if isinstance(tree, tuple):
        return tree if _is_text(tree) else tuple(map(_copy, tree))
    return copy.deepcopy(tree) if tree.dtype == object else tree.copy()
