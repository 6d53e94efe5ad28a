# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's spaces as arrays of a pool, and values of the one as values of the other.

Box, Discrete, MultiDiscrete, MultiBinary    an array of the space's dtype and shape
Text                                         code points, uint32, ended by zeros
Dict, Tuple                                  the arrays of what is in it: "key", "0", "key.inner"
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import ConfigError, shorten
from gymnasium import spaces
from numpy.typing import NDArray

_TEXT = np.dtype(np.uint32)
_LARGEST = np.iinfo(np.int32).max
_DTYPES = frozenset(
    np.dtype(kind) for kind in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
)


class Leaf(NamedTuple):
    """One array of a space."""

    path: tuple[str | int, ...]
    space: spaces.Space[Any]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    low: NDArray[Any]
    high: NDArray[Any]

    @property
    def name(self) -> str:
        """The names on the way to it, with dots between."""
        return ".".join(map(str, self.path))


def leaves_of(space: spaces.Space[Any], asked: str, path: tuple[str | int, ...] = ()) -> list[Leaf]:
    """The arrays of a space.

    Args:
        space: Any of the above.
        asked: What has the space, for messages.
        path: Where it stands in another.

    Raises:
        ConfigError: If the space has no arrays of a fixed shape, or keys that cannot be names.
    """
    if isinstance(space, spaces.Dict):
        inner = [leaves_of(one, asked, (*path, _key(key, asked))) for key, one in space.items()]
        return [leaf for leaves in inner for leaf in leaves]
    if isinstance(space, spaces.Tuple):
        inner = [leaves_of(one, asked, (*path, i)) for i, one in enumerate(space)]
        return [leaf for leaves in inner for leaf in leaves]
    if isinstance(space, spaces.Discrete):
        low, high = np.asarray(space.start), np.asarray(space.start + space.n - 1)
        return [Leaf(path, space, np.dtype(space.dtype), (), low, high)]
    if isinstance(space, spaces.MultiDiscrete):
        low = np.asarray(space.start)
        high = low + space.nvec - 1
        return [Leaf(path, space, np.dtype(space.dtype), space.nvec.shape, low, high)]
    if isinstance(space, spaces.MultiBinary):
        zero = np.zeros((), space.dtype)
        return [Leaf(path, space, np.dtype(space.dtype), tuple(space.shape), zero, zero + 1)]
    if isinstance(space, spaces.Text):
        bounds = np.zeros((), _TEXT), np.asarray(0x10FFFF, _TEXT)
        return [Leaf(path, space, _TEXT, (space.max_length,), *bounds)]
    if isinstance(space, spaces.Box) and np.dtype(space.dtype) in _DTYPES:
        low, high = _bound(space.low), _bound(space.high)
        return [Leaf(path, space, np.dtype(space.dtype), space.shape, low, high)]
    raise ConfigError(
        asked,
        shorten(space),
        "Box (of bool, integers of 8 to 64 bits, float32 or float64), Discrete, MultiDiscrete, "
        "MultiBinary, Text, and Dict and Tuple of these",
        "Bring it into arrays of a fixed shape with an ObservationWrapper or an ActionWrapper",
    )


def _key(key: Any, asked: str) -> str:
    if isinstance(key, str) and key and "." not in key and ":" not in key:
        return key
    raise ConfigError(
        asked,
        f"the key {key!r} in a Dict space",
        "strings that are not empty and have no dot and no colon",
        "Rename the key with a wrapper",
    )


def _bound(values: NDArray[Any]) -> NDArray[Any]:
    """One number in place of many that are alike."""
    if values.size and (values == values.flat[0]).all():
        return np.asarray(values.flat[0])
    return values


def array_of(leaf: Leaf, name: str, per_player: bool) -> tuple[Any, ...]:
    """What the compiled side takes for an array: name, dtype, shape and bounds."""
    shape = (-1, *leaf.shape) if per_player else leaf.shape
    return name, leaf.dtype, shape, leaf.low, leaf.high


def is_plain(space: spaces.Space[Any]) -> bool:
    """Whether a batch of values is what the pool has anyway: an array, or dicts of arrays."""
    if isinstance(space, spaces.Dict):
        return all(map(is_plain, space.values()))
    return not isinstance(space, (spaces.Tuple, spaces.Text))


def writer(space: spaces.Space[Any], views: Sequence[NDArray[Any]]) -> Callable[[Any], None]:
    """A function that writes one value of a space into the arrays of its leaves."""
    if isinstance(space, spaces.Dict):
        parts, rest = [], list(views)
        for key, one in space.items():
            count = len(leaves_of(one, ""))
            parts.append((key, writer(one, rest[:count])))
            rest = rest[count:]

        def write_dict(value: Any) -> None:
            for key, write in parts:
                write(value[key])

        return write_dict
    if isinstance(space, spaces.Tuple):
        writes, rest = [], list(views)
        for one in space:
            count = len(leaves_of(one, ""))
            writes.append(writer(one, rest[:count]))
            rest = rest[count:]

        def write_tuple(value: Any) -> None:
            for write, item in zip(writes, value, strict=True):
                write(item)

        return write_tuple
    (view,) = views
    if isinstance(space, spaces.Text):

        def write_text(value: str) -> None:
            if len(value) > len(view):
                raise ValueError(f"a text of {len(value)} characters, where {space} was announced")
            view[: len(value)] = np.frombuffer(value.encode("utf-32-le"), "<u4")
            view[len(value) :] = 0

        return write_text
    shape, copyto = view.shape, np.copyto

    def write_array(value: Any) -> None:
        if type(value) is not np.ndarray:
            value = np.asarray(value)
        if value.shape != shape:
            raise ValueError(f"an array of shape {value.shape}, where {space} was announced")
        copyto(view, value, "same_kind")

    if isinstance(space, spaces.Discrete):

        def write_number(value: Any) -> None:
            view[()] = value

        return write_number
    return write_array


def reader(space: spaces.Space[Any], views: Sequence[NDArray[Any]]) -> Callable[[], Any]:
    """A function that makes one value of a space out of the arrays of its leaves."""
    if isinstance(space, (spaces.Dict, spaces.Tuple)):
        keyed = isinstance(space, spaces.Dict)
        items: list[tuple[Any, Any]] = (
            list(space.items()) if isinstance(space, spaces.Dict) else list(enumerate(space))
        )
        reads, rest = [], list(views)
        for key, one in items:
            count = len(leaves_of(one, ""))
            reads.append((key, reader(one, rest[:count])))
            rest = rest[count:]
        if keyed:
            return lambda: {key: read() for key, read in reads}
        return lambda: tuple(read() for _, read in reads)
    (view,) = views
    if isinstance(space, spaces.Text):
        return lambda: str(text_of(view[np.newaxis])[0])
    if isinstance(space, spaces.Discrete):
        return lambda: view[()]
    return view.copy


def text_of(codes: NDArray[Any]) -> NDArray[Any]:
    """Rows of code points as strings."""
    rows, length = codes.shape
    return np.ascontiguousarray(codes).view(f"<U{length}").reshape(rows)


def batch_of(space: spaces.Space[Any], tree: Any) -> Any:
    """A batch of observations as Gymnasium has it, out of dicts of arrays.

    Args:
        space: The space of one.
        tree: What the pool has: an array for a lone leaf, else dicts of them.
    """
    if isinstance(space, spaces.Dict):
        return {key: batch_of(one, tree[key]) for key, one in space.items()}
    if isinstance(space, spaces.Tuple):
        # The pool does not wrap what has one leaf only.
        return tuple(
            batch_of(one, tree[str(i)] if isinstance(tree, dict) else tree)
            for i, one in enumerate(space)
        )
    if isinstance(space, spaces.Text):
        return tuple(text_of(tree).tolist())
    return tree


def arrays_of(space: spaces.Space[Any], leaves: Sequence[Leaf], batch: Any) -> list[Any]:
    """The arrays of a batch of actions, in the order of the leaves.

    Args:
        space: The space of one action.
        leaves: Its leaves.
        batch: As Gymnasium has it; in dicts, keys may also be joined by dots.
    """
    return [_leaf_of(batch, leaf) for leaf in leaves]


def _leaf_of(batch: Any, leaf: Leaf) -> Any:
    value, path = batch, list(leaf.path)
    while path:
        if isinstance(value, dict):
            for count in range(len(path), 0, -1):
                key = ".".join(map(str, path[:count]))
                if key in value:
                    value, path = value[key], path[count:]
                    break
            else:
                return None
        elif isinstance(value, (tuple, list)) and isinstance(path[0], int):
            if path[0] >= len(value):
                return None
            value, path = value[path[0]], path[1:]
        else:
            return None
    if isinstance(leaf.space, spaces.Text):
        return np.stack([codes_of(text, leaf.shape[0]) for text in value])
    return value


def codes_of(text: str, length: int) -> NDArray[Any]:
    """A string as code points, zeros after it."""
    codes = np.zeros(length, _TEXT)
    points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    codes[: len(points)] = points[:length]
    return codes
