# SPDX-License-Identifier: Apache-2.0
"""Results: the parts of a batch beside the arrays that every environment writes.

The compiled pool builds a batch and then calls one function here. It adds the infos of environments
that returned some, and gives observations of Tuple and Text spaces the form of `gymnasium.vector`.
If there is neither, it reads one array and returns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from envpool.pool_backend import merge_infos
from gymnasium import Space
from numpy.typing import NDArray

from ._infos import MergedInfos
from ._spaces import batch_of, is_plain

_IN_SLOT = 1024  # bytes of an info in the slot itself; kInfoBytes in C++


class Results:
    """Completes the results of a pool."""

    def __init__(self, endpoint: Any, layout: Any, memory: int, space: Space[Any]) -> None:
        """Opens the shared memory of the pool.

        Args:
            endpoint: The parent's side of it.
            layout: Its layout.
            memory: Its file descriptor.
            space: The space of one environment's observation.
        """
        self._endpoint = endpoint
        self._memory = memory
        self._space = space
        self._plain = is_plain(space)
        self._sizes: NDArray[np.uint32] = endpoint.info_sizes()
        self._infos: NDArray[np.uint8] = endpoint.infos(layout)

    def completed(self, layout: Any) -> Any:
        """A layout with completed results; dm_env's layout is unchanged: its fields are fixed."""
        if not (isinstance(layout, tuple) and isinstance(layout[-1], dict)):
            return layout
        same_step = "_final_obs" in layout[-1]
        return [self._add_with_final if same_step else self._add, layout, "info:env_id"]

    def _add(self, result: Any, env_ids: NDArray[np.int32]) -> Any:
        """Completes a result with the infos of its environments."""
        sizes = self._sizes[env_ids, 0]
        if sizes.any():
            self._merge(result[-1], env_ids, sizes, np.zeros(len(sizes), np.intp))
        if self._endpoint.num_failures:
            self._add_failures(result[-1], env_ids)
        return result if self._plain else self._with_observation(result)

    def _add_failures(self, info: dict[str, Any], env_ids: NDArray[np.int32]) -> None:
        """Adds the reasons of rows that were cut off."""
        found = [(row, self._endpoint.take_failure(i)) for row, i in enumerate(env_ids.tolist())]
        _add_errors(info, len(env_ids), {row: text for row, text in found if text})

    def _add_with_final(self, result: Any, env_ids: NDArray[np.int32]) -> Any:
        """Completes a result in which episodes begin in the step that ended the one before."""
        info = result[-1]
        ended = info["_final_obs"]
        sizes = self._sizes[env_ids]
        if sizes.any():
            # If an episode has ended, the first info is its last, and the second the next
            # episode's.
            last = np.where(ended, sizes[:, 0], 0)
            if last.any():
                self._merge(info["final_info"], env_ids, last, np.zeros(len(last), np.intp))
            which = ended.astype(np.intp)
            now = np.where(ended, sizes[:, 1], sizes[:, 0])
            if now.any():
                self._merge(info, env_ids, now, which)
        if self._endpoint.num_failures:
            self._add_failures(info["final_info"], env_ids)
        if self._plain:
            return result
        if ended.any():
            info["final_obs"] = batch_of(self._space, info["final_obs"])
        return self._with_observation(result)

    def _with_observation(self, result: Any) -> Any:
        return (batch_of(self._space, result[0]), *result[1:])

    def _merge(
        self,
        info: dict[str, Any],
        env_ids: NDArray[np.int32],
        sizes: NDArray[np.uint32],
        which: NDArray[np.intp],
    ) -> None:
        rows = MergedInfos(len(env_ids))
        (has,) = np.nonzero(sizes)
        alike = sizes[has[0]]
        if alike <= _IN_SLOT and (sizes[has] == alike).all():
            rows.add_array(has, self._infos[env_ids[has], which[has], :alike])
        else:
            records = [self._record(int(env_ids[r]), int(sizes[r]), int(which[r])) for r in has]
            rows.add(has.tolist(), records)
        merge_infos(info, rows.merged)
        _add_errors(info, len(env_ids), rows.unreadable)

    def _record(self, env_id: int, size: int, which: int) -> bytes:
        if size <= _IN_SLOT:
            return self._infos[env_id, which, :size].tobytes()
        return os.pread(self._memory, size, self._endpoint.long_info_at(env_id, which))


def _add_errors(info: dict[str, Any], num_rows: int, errors: Mapping[int, str]) -> None:
    if not errors:
        return
    if "error" not in info:
        info["error"] = np.full(num_rows, None, object)
        info["_error"] = np.zeros(num_rows, np.bool_)
    for row, text in errors.items():
        info["error"][row], info["_error"][row] = text, True
