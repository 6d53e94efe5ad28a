# SPDX-License-Identifier: Apache-2.0
"""How results are built of arrays, see `envpool.typing.CompiledPool`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

IDS = ("info:env_id", "info:players.env_id")
ALL_ROWS = "*"
OWN = frozenset({*IDS, ALL_ROWS})
"""What the pool itself knows: these are no outputs of an environment."""


class Layout:
    """A layout, and which outputs it wants.

    Attributes:
        outputs: Their names.
        has_all_rows: Whether it is one of gymnasium.vector.
    """

    def __init__(self, tree: Any = None) -> None:
        """Looks for the names."""
        self._tree = tree
        names = frozenset(_leaves(tree))
        self.outputs, self.has_all_rows = names - OWN, ALL_ROWS in names

    def build(self, get: Callable[[str], Any]) -> Any:
        """A result, of what `get` gives for each name."""
        return _built(self._tree, get)


def _built(tree: Any, get: Callable[[str], Any]) -> Any:
    kind = type(tree)
    if kind is str:
        return get(tree)
    if kind is dict:
        return {key: _built(inner, get) for key, inner in tree.items()}
    if kind is tuple:
        return tuple([_built(inner, get) for inner in tree])
    if kind is list:
        return tree[0](*[_built(inner, get) for inner in tree[1:]])
    return None


def _leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, (dict, tuple, list)):
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _leaves(inner)
