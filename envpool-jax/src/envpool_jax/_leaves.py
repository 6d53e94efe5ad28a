# SPDX-License-Identifier: Apache-2.0
"""Trees of arrays as arrays with names: "", "board", "agents.0.view"."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from envpool.errors import ConfigError, shorten
from gymnasium import spaces

Path = tuple[str, ...]


def children(tree: Any) -> list[tuple[str, Any]] | None:
    """The items of a dict, tuple, named tuple or dataclass, by key; None for an array."""
    if isinstance(tree, (Mapping, spaces.Dict)):
        return [(str(key), value) for key, value in tree.items()]
    if hasattr(tree, "_fields"):
        return list(zip(tree._fields, tree, strict=True))
    if isinstance(tree, (tuple, list, spaces.Tuple)):
        return [(str(i), value) for i, value in enumerate(tree)]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(field.name, getattr(tree, field.name)) for field in dataclasses.fields(tree)]
    return None


def leaves(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All arrays of a tree, or all simple spaces of a space, with their paths of keys."""
    inner = children(tree)
    if inner is None:
        yield path, tree
        return
    for key, value in inner:
        yield from leaves(value, (*path, key))


def name_of(path: Path) -> str:
    """The name of an array; dots and colons separate parts of the pool's names."""
    return ".".join(key.replace(".", "_").replace(":", "_") for key in path)


def at(tree: Any, path: Path) -> Any:
    """The array at a path of keys; KeyError if there is none."""
    for key in path:
        inner = children(tree)
        if inner is None:
            raise KeyError(key)
        tree = dict(inner)[key]
    return tree


def bounds(space: spaces.Space[Any], asked: str) -> tuple[tuple[int, ...], Any, Any, Any]:
    """Shape, dtype, lowest and highest values of a simple space.

    Raises:
        ConfigError: If the space is of a kind without an array.
    """
    if isinstance(space, spaces.Discrete):
        return (), np.dtype(np.int32), space.start, int(space.start) + int(space.n) - 1
    if isinstance(space, spaces.MultiDiscrete):
        start = np.asarray(getattr(space, "start", 0))
        return space.nvec.shape, np.dtype(np.int32), start, np.add(start, space.nvec - 1)
    if isinstance(space, spaces.MultiBinary):
        return tuple(space.shape), np.dtype(np.bool_), False, True
    if isinstance(space, spaces.Box):
        return space.shape, np.dtype(space.dtype), space.low, space.high
    raise ConfigError(
        asked,
        shorten(space),
        "Box, Discrete, MultiDiscrete, MultiBinary, and Dict and Tuple of these",
        "Describe it with one of these",
    )


def one_if_alike(values: Any, dtype: np.dtype[Any]) -> Any:
    """Bounds as an array of a dtype: one number if all are equal."""
    array = np.asarray(values)
    if array.size and (array == array.flat[0]).all():
        array = np.asarray(array.flat[0])
    if dtype.kind in "iu" and array.dtype.kind == "f":
        limits = np.iinfo(dtype)
        array = np.clip(array, limits.min, limits.max)
    return array.astype(dtype)
