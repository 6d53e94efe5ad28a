# SPDX-License-Identifier: Apache-2.0
"""Infos: an environment's infos, from a worker to the batch in the parent.

    worker   {"speed": 1.5, "at": array([0, 1])}  ->  | size | layout | 1.5 | 0 1 |
    parent   rows of one layout are read together, without a Python loop over environments

Numbers and arrays are sent as they lie in memory, after a layout that describes them; an info with
any other value is pickled as a whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from envpool.errors import shorten
from numpy.typing import NDArray

from ._values import BadValueError

_PICKLED = 0xFFFFFFFF
_HEAD = 4  # bytes of the layout's length
_PLAIN = (int, float, bool)
_Leaf = tuple[tuple[str, ...], str, tuple[int, ...]]


def encode(info: dict[str, Any], name: str) -> bytes:
    """An info as bytes.

    Args:
        info: The info of one environment.
        name: Its name, for messages.

    Raises:
        BadValueError: If a value cannot be pickled.
    """
    leaves: list[_Leaf] = []
    parts: list[bytes] = []
    if not _collect(info, (), leaves, parts):
        return _PICKLED.to_bytes(_HEAD, "little") + _pickled(info, name)
    layout = pickle.dumps(leaves, pickle.HIGHEST_PROTOCOL)
    return b"".join((len(layout).to_bytes(_HEAD, "little"), layout, *parts))


def _pickled(value: Any, name: str) -> bytes:
    """Pickles a value; classes of the user's main program are pickled by value."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception:  # user classes may raise any exception
        pass
    import cloudpickle  # type: ignore[import-untyped]

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as cause:
        if isinstance(value, dict):
            for key, inner in value.items():
                _pickled(inner, f"{name}[{key!r}]")  # this call names the key at fault
        raise BadValueError(
            name,
            f"{shorten(value)}, a {type(value).__name__} that cannot be pickled: "
            f"{shorten(str(cause))}",
            "what can be pickled, to travel from the worker process",
            "Leave it out of the info, or keep it in the environment and use get_attr",
        ) from cause


def _collect(
    info: dict[Any, Any], path: tuple[str, ...], leaves: list[_Leaf], parts: list[bytes]
) -> bool:
    """Adds the values in `info`; False if a value is neither a number nor an array."""
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
            except OverflowError:  # an integer of more than 64 bits
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


class MergedInfos:
    """The infos of some rows of a batch, merged as in `gymnasium.vector`.

    If merging would fail or change a value, because environments return different shapes or types
    under one key, the values are objects.
    """

    def __init__(self, num_rows: int) -> None:
        """Starts with no row."""
        self._num_rows = num_rows
        self.merged: dict[str, Any] = {}
        self.unreadable: dict[int, str] = {}  # by row, the error of its info
        self._layouts: dict[bytes, tuple[np.dtype[Any], list[tuple[str, ...]]]] = {}

    def add(self, rows: Sequence[int], records: Sequence[bytes | memoryview]) -> None:
        """Adds the info of each row, in this order."""
        at = 0
        while at < len(rows):
            record = bytes(records[at])
            size = int.from_bytes(record[:_HEAD], "little")
            if size == _PICKLED:
                self._add_pickled(rows[at], record[_HEAD:])
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
        """Adds infos of one length, given as an array with one info per row."""
        first = records[0].tobytes()
        size = int.from_bytes(first[:_HEAD], "little")
        start = _HEAD + size
        if size == _PICKLED or not (records[:, :start] == records[0, :start]).all():
            self.add(rows.tolist(), [record.tobytes() for record in records])
            return
        self._put(rows, first[:start], np.ascontiguousarray(records[:, start:]))

    def _add_pickled(self, row: int, data: bytes) -> None:
        try:
            info = pickle.loads(data)
        except Exception as cause:  # for example a module that only the worker has
            self.unreadable[row] = (
                f"the info of this step cannot be unpickled here, {type(cause).__name__}: {cause}. "
                "Put only what this process can import into infos"
            )
            return
        _add_object(self.merged, info, row, self._num_rows)

    def _add_alike(
        self, rows: Sequence[int], records: Sequence[bytes | memoryview], start: bytes
    ) -> None:
        joined = b"".join(bytes(r[len(start) :]) for r in records)
        self._put(np.asarray(rows), start, np.frombuffer(joined, np.uint8).reshape(len(rows), -1))

    def _put(self, rows: NDArray[Any], start: bytes, data: NDArray[np.uint8]) -> None:
        """Adds infos of one layout; the rows of `data` are their bytes."""
        dtype, paths = self._layout(start)
        # A view of zero bytes is not possible: all arrays are empty.
        fields = data.view(dtype)[:, 0] if dtype.itemsize else np.zeros(len(rows), dtype)
        if any(_conflicts(self.merged, path) for path in paths):
            for at, row in enumerate(rows.tolist()):
                info = _nested((path, fields[f"f{i}"][at]) for i, path in enumerate(paths))
                _add_object(self.merged, info, row, self._num_rows)
            return
        for i, path in enumerate(paths):
            _put_array(self.merged, path, rows, fields[f"f{i}"], self._num_rows)

    def _layout(self, start: bytes) -> tuple[np.dtype[Any], list[tuple[str, ...]]]:
        found = self._layouts.get(start)
        if found is None:
            leaves = pickle.loads(start[_HEAD:])
            fields = [(f"f{i}", kind, shape) for i, (_, kind, shape) in enumerate(leaves)]
            found = np.dtype(fields), [path for path, _, _ in leaves]
            self._layouts[start] = found
        return found


def _conflicts(merged: dict[str, Any], path: Sequence[str]) -> bool:
    """True if there is a dict at the end of the path, or another value on the way."""
    found: Any = merged
    for key in path:
        if not isinstance(found, dict):
            return True
        found = found.get(key)
        if found is None:
            return False
    return isinstance(found, dict)


def _nested(items: Iterable[tuple[Sequence[str], Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for (*branches, last), value in items:
        node = tree
        for branch in branches:
            node = node.setdefault(branch, {})
        node[last] = value
    return tree


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
        column = _column(merged, key, values.shape[1:], values.dtype, mask)
        if column.dtype.kind == "O":
            for row, value in zip(rows.tolist(), values, strict=True):
                column[row] = value
        else:
            column[rows] = values
    mask[rows] = True
    merged[f"_{key}"] = mask


def _add_object(merged: dict[str, Any], info: Mapping[Any, Any], row: int, num_rows: int) -> None:
    for key, value in info.items():
        mask = _mask(merged, key, num_rows)
        if isinstance(value, dict) and isinstance(merged.get(key, {}), dict):
            _add_object(merged.setdefault(key, {}), value, row, num_rows)
        elif type(value) in _PLAIN or isinstance(value, (np.number, np.bool_, np.ndarray)):
            array = np.asarray(value)
            _column(merged, key, array.shape, array.dtype, mask)[row] = value
        else:
            _column(merged, key, (), np.dtype(object), mask)[row] = value
        mask[row] = True
        merged[f"_{key}"] = mask


def _column(
    merged: dict[str, Any],
    key: Any,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    mask: NDArray[np.bool_],
) -> NDArray[Any]:
    """The column of a key, created or widened to hold values of this shape and dtype."""
    found = merged.get(key)
    if found is not None:
        column = _widened(found, shape, dtype, mask)
    elif dtype.kind == "O":
        column = np.full((len(mask), *shape), None, object)
    else:
        column = np.zeros((len(mask), *shape), dtype)
    merged[key] = column
    return column


def _widened(
    column: Any, shape: tuple[int, ...], dtype: np.dtype[Any], mask: NDArray[np.bool_]
) -> NDArray[Any]:
    """A column with its values in the rows of `mask`, wide enough for this shape and dtype."""
    if isinstance(column, dict):
        rows = _rows_of(column, mask)
        objects = np.full(len(mask), None, object)
        for row in np.flatnonzero(mask):
            objects[row] = rows[row]
        return objects
    if column.dtype.kind == "O" or (column.shape[1:] == shape and column.dtype == dtype):
        return column  # type: ignore[no-any-return]
    kinds = {column.dtype.kind, dtype.kind}
    if column.shape[1:] == shape and kinds <= set("iuf"):
        wide = np.result_type(column.dtype, dtype)
        if wide.kind in kinds:  # no float type holds all 64-bit integers
            return column.astype(wide)  # type: ignore[no-any-return]
    objects = np.full(len(mask), None, object)
    for row in np.flatnonzero(mask):
        objects[row] = column[row]
    return objects


def _rows_of(tree: dict[str, Any], mask: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The rows of the mask as one dict per row, from dicts of columns."""
    rows: list[dict[str, Any]] = [{} for _ in mask]
    for key, column in tree.items():
        has = tree.get(f"_{key}")
        if has is None:
            continue  # a mask
        inner = _rows_of(column, has) if isinstance(column, dict) else column
        for row in np.flatnonzero(has):
            rows[row][key] = inner[row]
    return rows


def _mask(merged: dict[str, Any], key: str, num_rows: int) -> NDArray[np.bool_]:
    found = merged.get(f"_{key}")
    return np.zeros(num_rows, np.bool_) if found is None else found
