# SPDX-License-Identifier: Apache-2.0
"""Layout: the structure of results, see `PoolBackend.set_result_layouts`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .result_layouts import ALL_ROWS as ALL_ROWS

IDS = ("info:env_id", "info:players.env_id")
OWN = frozenset({*IDS, ALL_ROWS})
"""Names of arrays that the pool itself fills: no outputs of an environment."""
Build = Callable[[Mapping[str, Any]], Any]


class Layout:
    """A layout, and the names of the outputs in it.

    Attributes:
        tree: The layout, as the pool was given it.
        names: The names of all arrays in it.
        outputs: The names of arrays that an environment gives.
        has_all_rows: Whether it is a layout of gymnasium.vector.
        build: Makes a result from a dict of arrays by name.
    """

    def __init__(self, tree: Any = None) -> None:
        """Collects the names."""
        self.tree = tree
        self.names = frozenset(_leaves(tree))
        self.outputs, self.has_all_rows = self.names - OWN, ALL_ROWS in self.names
        self.build: Build = _builder(tree)


def _builder(tree: Any) -> Build:
    """A function that builds results of a layout; made once, since every step calls it."""
    if isinstance(tree, str):
        return operator.itemgetter(tree)
    if isinstance(tree, dict):
        inner = [(key, _builder(value)) for key, value in tree.items()]
        return lambda arrays: {key: build(arrays) for key, build in inner}
    if isinstance(tree, tuple):
        builders = [_builder(value) for value in tree]
        return lambda arrays: tuple([build(arrays) for build in builders])
    if isinstance(tree, list):
        kind, *fields = tree
        builders = [_builder(value) for value in fields]
        return lambda arrays: kind(*[build(arrays) for build in builders])
    return lambda arrays: None


def merge_infos(info: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Adds infos to a dict, and to the dicts in it."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(info.get(key), dict):
            merge_infos(info[key], value)
        else:
            info[key] = value


def _leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (dict, tuple, list)):
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(inner)
