# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's spaces as arrays of a pool, and conversions of their values.

Box, Discrete, MultiDiscrete, MultiBinary    an array of the space's dtype and shape
Text                                         code points, uint32, ended by zeros
Dict, Tuple                                  the arrays of its items: "key", "0", "key.inner"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from envpool.errors import ConfigError, shorten
from gymnasium import spaces
from numpy.typing import NDArray

from ._values import BadValueError, array_of_dtype, shown

ID_KEYS = ("env_id", "players.env_id")
"""Keys of a dict of actions that name the environments."""
_TEXT = np.dtype(np.uint32)
_EMPTY = spaces.Box(0, 0, (), np.uint8)  # a stand-in for a space without arrays
_DTYPES = frozenset(
    np.dtype(kind) for kind in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
)


class SpaceLeaf(NamedTuple):
    """One array of a space.

    Attributes:
        path: The keys from the space to it.
        names: The keys as parts of a pool's array names.
        space: Its space.
        dtype: Of its elements.
        shape: Shape of the array of one environment or player.
        low: Bounds, for one element or for all.
        high: Bounds, for one element or for all.
    """

    path: tuple[Any, ...]
    names: tuple[str, ...]
    space: spaces.Space[Any]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    low: NDArray[Any]
    high: NDArray[Any]

    @property
    def name(self) -> str:
        """The names from the space to it, joined by dots."""
        return ".".join(self.names)

    @property
    def is_empty(self) -> bool:
        """True if it is a stand-in for a space without arrays."""
        return self.space is _EMPTY


def leaves_of(space: spaces.Space[Any], asked: str) -> list[SpaceLeaf]:
    """The arrays of a space. An empty space has one unused array.

    Args:
        space: Any of the above.
        asked: The owner of the space, for messages.

    Raises:
        ConfigError: If the space has no arrays of a fixed shape.
    """
    return _leaves(space, asked, (), ()) or _leaves(_EMPTY, asked, (), ())


def _leaves(
    space: spaces.Space[Any], asked: str, path: tuple[Any, ...], names: tuple[str, ...]
) -> list[SpaceLeaf]:
    if isinstance(space, (spaces.Dict, spaces.Tuple)):
        return [
            leaf
            for key, name, inner in _items(space)
            for leaf in _leaves(inner, asked, (*path, key), (*names, name))
        ]
    shape: tuple[int, ...]
    low: Any
    high: Any
    if isinstance(space, spaces.Discrete):
        shape, (low, high) = (), (np.asarray(space.start), np.asarray(space.start + space.n - 1))
    elif isinstance(space, spaces.MultiDiscrete):
        shape, low = space.nvec.shape, np.asarray(space.start)
        high = low + space.nvec - 1
    elif isinstance(space, spaces.MultiBinary):
        shape, low = tuple(space.shape), np.zeros((), space.dtype)
        high = low + 1
    elif isinstance(space, spaces.Text):
        bounds = np.zeros((), _TEXT), np.asarray(0x10FFFF, _TEXT)
        return [SpaceLeaf(path, names, space, _TEXT, (space.max_length,), *bounds)]
    elif isinstance(space, spaces.Box) and np.dtype(space.dtype) in _DTYPES:
        shape, (low, high) = space.shape, (_bound(space.low), _bound(space.high))
    else:
        raise ConfigError(
            asked,
            shorten(space),
            "Box (of bool, integers of 8 to 64 bits, float32 or float64), Discrete, MultiDiscrete, "
            "MultiBinary, Text, and Dict and Tuple of these",
            "Bring it into arrays of a fixed shape with an ObservationWrapper or an ActionWrapper",
        )
    return [SpaceLeaf(path, names, space, np.dtype(space.dtype), shape, low, high)]


def _items(space: Any) -> list[tuple[Any, str, spaces.Space[Any]]]:
    """The keys of a space's items, their names in arrays' names, and their spaces."""
    if isinstance(space, spaces.Tuple):
        return [(i, str(i), inner) for i, inner in enumerate(space)]
    names: dict[str, Any] = {key: key for key in space.spaces if _is_name(key)}
    for i, key in enumerate(space.spaces):
        if not _is_name(key):
            name = f"key{i}"
            while name in names:
                name += "_"
            names[name] = key
    name_of = {key: name for name, key in names.items()}
    return [(key, name_of[key], inner) for key, inner in space.items()]


def _is_name(key: Any) -> bool:
    return isinstance(key, str) and key != "" and "." not in key and ":" not in key


def are_of_one_shape(space: spaces.Space[Any], other: spaces.Space[Any]) -> bool:
    """True if two spaces have the same arrays, except for bounds."""
    leaves, others = (
        [(leaf.path, leaf.dtype, leaf.shape, type(leaf.space)) for leaf in leaves_of(one, "")]
        for one in (space, other)
    )
    return leaves == others


def mask_of(space: spaces.Space[Any]) -> SpaceLeaf | None:
    """The array of the mask of legal actions in observations of PettingZoo's games."""
    if isinstance(space, spaces.Dict) and isinstance(space.get("action_mask"), spaces.Box):
        return _leaves(space["action_mask"], "", (), ())[0]
    return None


def _bound(values: NDArray[Any]) -> NDArray[Any]:
    """One number if all are equal."""
    if values.size == 0:
        return np.zeros((), values.dtype)
    if (values == values.flat[0]).all():
        return np.asarray(values.flat[0])
    return values


def array_of(leaf: SpaceLeaf, name: str, per_player: bool) -> tuple[Any, ...]:
    """An array in the compiled side's form: name, dtype, shape and bounds."""
    shape = (-1, *leaf.shape) if per_player else leaf.shape
    return name, leaf.dtype, shape, leaf.low, leaf.high


def is_plain(space: spaces.Space[Any]) -> bool:
    """True if a batch of values is in the pool's own form: an array, or dicts of arrays.

    A pool does not put a single array into a dict.
    """
    if isinstance(space, (spaces.Dict, spaces.Tuple)):
        return len(_leaves(space, "", (), ())) > 1 and _has_only_dicts(space)
    return not isinstance(space, spaces.Text)


def _has_only_dicts(space: spaces.Space[Any]) -> bool:
    if isinstance(space, spaces.Dict):
        return len(space) > 0 and all(
            key == name and _has_only_dicts(inner) for key, name, inner in _items(space)
        )
    return not isinstance(space, (spaces.Tuple, spaces.Text))


def writer(
    space: spaces.Space[Any], views: Sequence[NDArray[Any]], name: str
) -> Callable[[Any], None]:
    """A function that writes one value of a space into the arrays of its leaves.

    Args:
        space: The space of the value.
        views: The arrays, in the order of the leaves.
        name: Name of the value for messages, as "env 3: the observation".

    Returns:
        The function. It raises BadValueError for a value that is not in the space.
    """
    rest = iter(views)
    return _writer(space, rest, name)


def _writer(
    space: spaces.Space[Any], views: Iterator[NDArray[Any]], name: str
) -> Callable[[Any], None]:
    if isinstance(space, spaces.Dict):
        parts = [
            (key, _writer(inner, views, f"{name}[{key!r}]")) for key, _, inner in _items(space)
        ]

        def write_dict(value: Any) -> None:
            if not isinstance(value, Mapping):
                raise BadValueError(name, shown(value), str(space), "Return a dict")
            for key, write in parts:
                if key not in value:
                    raise BadValueError(
                        name,
                        f"a dict without the key {key!r}",
                        f"the keys {', '.join(repr(key) for key, _ in parts)}",
                        "Return a value for each key of the space",
                    )
                write(value[key])

        return write_dict
    if isinstance(space, spaces.Tuple):
        writes = [_writer(inner, views, f"{name}[{key}]") for key, _, inner in _items(space)]

        def write_tuple(value: Any) -> None:
            if not isinstance(value, (tuple, list)) or len(value) != len(writes):
                got = shown(value)
                raise BadValueError(name, got, str(space), f"Return a tuple of {len(writes)}")
            for write, item in zip(writes, value, strict=True):
                write(item)

        return write_tuple
    view = next(views)
    if isinstance(space, spaces.Text):

        def write_text(value: Any) -> None:
            view[:] = codes_of(value, len(view), name)

        return write_text
    shape, dtype = view.shape, view.dtype

    def write_array(value: Any) -> None:
        if type(value) is not np.ndarray or value.dtype != dtype:
            value = array_of_dtype(name, value, space, dtype)
        if value.shape != shape:
            raise BadValueError(
                name, shown(value), str(space), "Return that shape, or correct the space"
            )
        view[...] = value

    if isinstance(space, spaces.Discrete) and dtype == np.int64:

        def write_number(value: Any) -> None:
            if type(value) is not int and type(value) is not np.int64:
                return write_array(value)
            try:
                view[...] = value
            except OverflowError:
                write_array(value)

        return write_number
    return write_array


def reader(space: spaces.Space[Any], views: Sequence[NDArray[Any]]) -> Callable[[], Any]:
    """A function that builds one value of a space from the arrays of its leaves."""
    rest = iter(views)
    return _reader(space, rest)


def _reader(space: spaces.Space[Any], views: Iterator[NDArray[Any]]) -> Callable[[], Any]:
    if isinstance(space, spaces.Dict):
        keyed = [(key, _reader(inner, views)) for key, _, inner in _items(space)]
        return lambda: {key: read() for key, read in keyed}
    if isinstance(space, spaces.Tuple):
        reads = [_reader(inner, views) for _, _, inner in _items(space)]
        return lambda: tuple(read() for read in reads)
    view = next(views)
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
    """A batch of observations in Gymnasium's form, from dicts of arrays.

    Args:
        space: The space of one observation.
        tree: The pool's result: an array for a single leaf, else dicts of arrays.
    """
    leaves = _leaves(space, "", (), ())
    arrays = [tree] if len(leaves) == 1 else [_array_in(tree, leaf.names) for leaf in leaves]
    return _batch(space, iter(arrays))


def _array_in(tree: Any, names: Sequence[str]) -> Any:
    for name in names:
        tree = tree[name]
    return tree


def _batch(space: spaces.Space[Any], arrays: Iterator[Any]) -> Any:
    if isinstance(space, spaces.Dict):
        return {key: _batch(inner, arrays) for key, _, inner in _items(space)}
    if isinstance(space, spaces.Tuple):
        return tuple(_batch(inner, arrays) for _, _, inner in _items(space))
    array = next(arrays)
    return tuple(text_of(array).tolist()) if isinstance(space, spaces.Text) else array


def arrays_of(leaves: Sequence[SpaceLeaf], batch: Any, env_ids: Sequence[int]) -> list[Any]:
    """The arrays of a batch of actions, in the order of the leaves; None for missing arrays.

    Args:
        leaves: The leaves of one action's space.
        batch: In Gymnasium's form; in dicts, keys may also be joined by dots.
        env_ids: The environments of the actions, for messages; empty if unknown.

    Raises:
        BadValueError: If a text is not a str, or longer than its space allows.
    """
    return [_leaf_of(batch, leaf, env_ids) for leaf in leaves]


def _leaf_of(batch: Any, leaf: SpaceLeaf, env_ids: Sequence[int]) -> Any:
    value, path = batch, list(leaf.path)
    while path:
        if isinstance(value, Mapping):
            counts = range(len(path), 0, -1)
            joined = [(count, ".".join(map(str, path[:count]))) for count in counts]
            for count, key in [(1, path[0]), *joined]:
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
    if not isinstance(leaf.space, spaces.Text):
        return value
    name = f"action {leaf.name!r}" if leaf.path else "the action"
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)):
        raise BadValueError(name, shown(value), "a sequence of texts, one a row", "Pass a list")
    codes = np.zeros((len(value), leaf.shape[0]), _TEXT)
    for row, text in enumerate(value):
        whose = f"env {env_ids[row]}" if row < len(env_ids) else f"row {row}"
        codes[row] = codes_of(text, leaf.shape[0], f"{name} of {whose}")
    return codes


def codes_of(text: Any, length: int, name: str) -> NDArray[Any]:
    """A string as code points, followed by zeros.

    Raises:
        BadValueError: If it is not a string, is too long, or contains a zero.
    """
    if not isinstance(text, str):
        raise BadValueError(name, shown(text), f"a str of at most {length} characters", "Use a str")
    if len(text) > length:
        raise BadValueError(
            name,
            f"{shorten(text)}, a text of {len(text)} characters",
            f"at most {length} characters, the max_length of its Text space",
            "Shorten the text, or raise max_length",
        )
    if "\0" in text:
        raise BadValueError(
            name, shorten(text), "characters other than '\\0'", "Take the '\\0' out of the text"
        )
    codes = np.zeros(length, _TEXT)
    codes[: len(text)] = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return codes
