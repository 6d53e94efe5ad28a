# SPDX-License-Identifier: Apache-2.0
"""Infos: what an environment says beside its results, from a worker to the batch of the parent.

    worker   {"speed": 1.5, "at": array([0, 1])}  ->  | size | layout | 1.5 | 0 1 |
    parent   rows of one layout are read together, without a Python loop over environments

Numbers and arrays travel as they lie in memory, after a layout that says what they are; an info
with anything else in it is pickled as a whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PICKLED = 0xFFFFFFFF
_HEAD = 4  # bytes that say how long the layout is
_PLAIN = (int, float, bool)
_Leaf = tuple[tuple[str, ...], str, tuple[int, ...]]


def encode(info: dict[str, Any]) -> bytes:
    """An info as bytes."""
    leaves: list[_Leaf] = []
    parts: list[bytes] = []
    if not _collect(info, (), leaves, parts):
        return _PICKLED.to_bytes(_HEAD, "little") + pickle.dumps(info, pickle.HIGHEST_PROTOCOL)
    layout = pickle.dumps(leaves, pickle.HIGHEST_PROTOCOL)
    return b"".join((len(layout).to_bytes(_HEAD, "little"), layout, *parts))


def _collect(
    info: dict[Any, Any], path: tuple[str, ...], leaves: list[_Leaf], parts: list[bytes]
) -> bool:
    """Adds what is in `info`; False if something in it is neither a number nor an array."""
    for key, value in info.items():
        kind = type(value)
        if type(key) is not str:
            return False
        if kind is dict:
            if not value or not _collect(value, (*path, key), leaves, parts):
                return False
            continue
        if kind in _PLAIN:
            try:
                array = np.asarray(value, kind)
            except OverflowError:  # a whole number of more than 64 bits
                return False
        elif isinstance(value, np.number) or kind is np.ndarray:
            array = np.asarray(value)
            if array.dtype.hasobject or array.dtype.names is not None:
                return False
        else:
            return False
        leaves.append(((*path, key), array.dtype.str, array.shape))
        parts.append(array.tobytes())
    return True


class Rows:
    """The infos of some rows of a batch, being put together as `gymnasium.vector` does."""

    def __init__(self, num_rows: int) -> None:
        """No row has an info yet."""
        self._num_rows = num_rows
        self.merged: dict[str, Any] = {}
        self._layouts: dict[bytes, tuple[np.dtype[Any], list[tuple[str, ...]]]] = {}

    def add(self, rows: Sequence[int], records: Sequence[bytes | memoryview]) -> None:
        """Adds the info of each row, in this order."""
        at = 0
        while at < len(rows):
            record = bytes(records[at])
            size = int.from_bytes(record[:_HEAD], "little")
            if size == _PICKLED:
                _add_object(self.merged, pickle.loads(record[_HEAD:]), rows[at], self._num_rows)
                at += 1
                continue
            start = record[: _HEAD + size]
            end = at + 1
            while end < len(rows) and len(records[end]) == len(record):
                if bytes(records[end][: _HEAD + size]) != start:
                    break
                end += 1
            self._add_alike(rows[at:end], records[at:end], start)
            at = end

    def add_array(self, rows: NDArray[Any], records: NDArray[np.uint8]) -> None:
        """Adds infos of one length that lie in an array, one in each row of it."""
        first = records[0].tobytes()
        size = int.from_bytes(first[:_HEAD], "little")
        start = _HEAD + size
        if size == _PICKLED or not (records[:, :start] == records[0, :start]).all():
            self.add(rows.tolist(), [record.tobytes() for record in records])
            return
        dtype, paths = self._layout(first[:start])
        data = np.ascontiguousarray(records[:, start:]).view(dtype).reshape(len(rows))
        self._put(rows, paths, data)

    def _add_alike(
        self, rows: Sequence[int], records: Sequence[bytes | memoryview], start: bytes
    ) -> None:
        dtype, paths = self._layout(start)
        data = np.frombuffer(b"".join(bytes(r[len(start) :]) for r in records), dtype)
        self._put(np.asarray(rows), paths, data)

    def _layout(self, start: bytes) -> tuple[np.dtype[Any], list[tuple[str, ...]]]:
        found = self._layouts.get(start)
        if found is None:
            leaves = pickle.loads(start[_HEAD:])
            fields = [(f"f{i}", kind, shape) for i, (_, kind, shape) in enumerate(leaves)]
            found = np.dtype(fields), [path for path, _, _ in leaves]
            self._layouts[start] = found
        return found

    def _put(self, rows: NDArray[Any], paths: list[tuple[str, ...]], data: NDArray[Any]) -> None:
        for i, path in enumerate(paths):
            _put_array(self.merged, path, rows, data[f"f{i}"], self._num_rows)


def _put_array(
    merged: dict[str, Any],
    path: tuple[str, ...],
    rows: NDArray[Any],
    values: NDArray[Any],
    num_rows: int,
) -> None:
    key, *inner = path
    mask = _mask(merged, key, num_rows)
    if inner:
        _put_array(merged.setdefault(key, {}), tuple(inner), rows, values, num_rows)
    else:
        if key not in merged:
            merged[key] = np.zeros((num_rows, *values.shape[1:]), values.dtype)
        merged[key][rows] = values
    mask[rows] = True
    merged[f"_{key}"] = mask


def _add_object(merged: dict[str, Any], info: dict[str, Any], row: int, num_rows: int) -> None:
    for key, value in info.items():
        mask = _mask(merged, key, num_rows)
        if isinstance(value, dict):
            inner = merged.get(key, {})
            _add_object(inner, value, row, num_rows)
            merged[key] = inner
        else:
            if key not in merged:
                merged[key] = _column(value, num_rows)
            merged[key][row] = value
        mask[row] = True
        merged[f"_{key}"] = mask


def _column(value: Any, num_rows: int) -> NDArray[Any]:
    if type(value) in _PLAIN or isinstance(value, np.number):
        return np.zeros(num_rows, type(value))
    if isinstance(value, np.ndarray):
        return np.zeros((num_rows, *value.shape), value.dtype)
    return np.full(num_rows, None, object)


def _mask(merged: dict[str, Any], key: str, num_rows: int) -> NDArray[np.bool_]:
    found = merged.get(f"_{key}")
    return np.zeros(num_rows, np.bool_) if found is None else found
