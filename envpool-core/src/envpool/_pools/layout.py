# SPDX-License-Identifier: Apache-2.0
"""Layout: how results are built of arrays, see `PoolBackend.set_result_layouts`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .result_layouts import ALL_ROWS as ALL_ROWS

IDS = ("info:env_id", "info:players.env_id")
OWN = frozenset({*IDS, ALL_ROWS})
"""What the pool itself knows: these are no outputs of an environment."""
Build = Callable[[Mapping[str, Any]], Any]


class Layout:
    """A layout, and which outputs it wants.

    Attributes:
        names: Of the arrays in it.
        outputs: Those that an environment gives.
        has_all_rows: Whether it is one of gymnasium.vector.
        build: Makes a result of the arrays, which it is given by their names.
    """

    def __init__(self, tree: Any = None) -> None:
        """Looks for the names."""
        self.names = frozenset(_leaves(tree))
        self.outputs, self.has_all_rows = self.names - OWN, ALL_ROWS in self.names
        self.build: Build = _builder(tree)


def _builder(tree: Any) -> Build:
    """What makes results of a layout; it is put together once, since every step calls it."""
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


def _leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (dict, tuple, list)):
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(inner)
