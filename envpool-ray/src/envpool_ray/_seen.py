# SPDX-License-Identifier: Apache-2.0
"""Seen: the last row that the caller saw of each environment, and rows of lost episodes from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._batch import DONE, FINAL_RESTARTED, RESTARTED, Batch, Shape, join


class Seen:
    """What the caller saw last: the arrays that it was given, with what it wrote into them."""

    def __init__(self, shape: Shape) -> None:
        """Nothing was seen."""
        self._shape = shape
        self._last: dict[int, _Last] = {}  # of each actor

    def keep(self, owner: int, batch: Batch, whole: bool) -> None:
        """Keeps rows.

        Args:
            owner: The number of the actor of these environments.
            batch: The rows.
            whole: Whether it has all environments of the actor.
        """
        if whole:  # mostly
            self._last[owner] = _Last(batch, {})
        else:
            last = self._last.setdefault(owner, _Last(batch, {}))
            last.since.update(dict.fromkeys(batch.env_ids.tolist(), batch))

    def clear(self) -> None:
        """Keeps nothing more."""
        self._last.clear()

    def cut_off(self, owner: int, env_id: int) -> Batch:
        """The row of an episode that was lost: what was seen last, truncated."""
        batch = self._row(owner, env_id)
        arrays = batch.arrays
        for name, value in (
            ("reward", 0),
            ("terminated", False),
            ("trunc", True),
            (DONE, True),
            ("step_type", 2),
            ("discount", 1),
            (RESTARTED, True),
        ):
            if name in arrays:
                arrays[name] = np.full_like(arrays[name], value)
        return batch

    def turned(self, owner: int, batch: Batch) -> Batch:
        """First rows of new episodes, turned into rows in which others were cut off."""
        seen = join([self._row(owner, env_id) for env_id in batch.env_ids.tolist()])
        arrays = dict(batch.arrays)
        for name, value in (("trunc", True), (DONE, True), ("step_type", 2), (RESTARTED, True)):
            if name in arrays:
                arrays[name] = np.full_like(arrays[name], value)
        for name in arrays:
            plain = name.removeprefix("final ")
            if name != plain and plain in seen.arrays:
                arrays[name] = seen.arrays[plain]
        arrays[FINAL_RESTARTED] = np.ones(len(batch), np.bool_)
        info = dict(batch.info)
        if info.get("final_obs") is not None:
            info["final_obs"] = seen.obs
        return Batch(batch.obs, arrays, info)

    def _row(self, owner: int, env_id: int) -> Batch:
        """What was seen of an environment, as a batch of its own."""
        whole, since = self._last[owner]
        last = since.get(env_id, whole)
        row = np.flatnonzero(last.env_ids == env_id)
        return self._shape.take(last, row)


class _Last(NamedTuple):
    """What was seen last of an actor's environments."""

    whole: Batch
    since: dict[int, Batch]
    """What has come since, by environment."""
