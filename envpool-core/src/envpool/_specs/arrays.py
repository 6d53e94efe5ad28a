# SPDX-License-Identifier: Apache-2.0
"""ArraySpec, and the trees that the dots and colons in the names of arrays stand for.

"obs" and "obs:a.b" are observations, "info:x" and "info:players.hp" go into the info; in an action
"players.id" is `{"players": {"id": ...}}`. A dot opens a level.
"""

from __future__ import annotations

import functools
import keyword
import re
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._backend import CompiledArray
from ..errors import PluginError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")

# A range of more values than this is a number, not a choice.
MAX_CHOICES = 2**20


class ArraySpec:
    """Dtype, shape and bounds of one array of a state or an action.

    Attributes:
        name: The full name, as "obs:players.view".
        dtype: NumPy dtype of the elements.
        shape: Sizes for one environment; -1 first means one row per player.
        minimum: Smallest value of each element, of shape `item_shape`, dtype as above.
        maximum: Largest value of each element.
        dynamic: Whether every element is an array with a shape of its own, in an array of objects.
        inner_shape: The known sizes of an element's shape, if `dynamic`.
        own: Whether the environment describes the array; every environment has the other arrays.
        categorical: Whether whole numbers name choices and are no quantities: MultiDiscrete.
    """

    def __init__(
        self,
        name: str,
        dtype: DTypeLike,
        shape: Sequence[int],
        minimum: object = None,
        maximum: object = None,
        dynamic: bool = False,
        inner_shape: Sequence[int] = (),
        own: bool = True,
        categorical: bool = False,
    ) -> None:
        """Makes a spec; bounds that are not given are those of the dtype, or infinite."""
        self.name = name
        self.dtype = np.dtype(dtype)
        self.shape = tuple(int(size) for size in shape)
        self.dynamic = dynamic
        self.inner_shape = tuple(int(size) for size in inner_shape)
        self.own = own
        self.categorical = categorical
        low, high = _limits(self.dtype)
        self.minimum = self._bound(low if minimum is None else minimum)
        self.maximum = self._bound(high if maximum is None else maximum)

    @classmethod
    def from_compiled(cls, array: CompiledArray) -> ArraySpec:
        """The spec from a tuple of the compiled side."""
        return cls(*array)

    def _bound(self, value: object) -> NDArray[Any]:
        bound = np.asarray(value).astype(self.dtype)
        # A view without memory of its own: the bounds of a frame are two numbers.
        shape = self.item_shape
        flat = bound.size > 1 and bound.shape != shape
        return bound.reshape(shape) if flat else np.broadcast_to(bound, shape)

    @property
    def item_shape(self) -> tuple[int, ...]:
        """The shape of one environment's part, or one player's."""
        return self.shape[1:] if self.per_player else self.shape

    @property
    def per_player(self) -> bool:
        """Whether the array has one row per player, not one per environment."""
        return self.shape[:1] == (-1,)

    @property
    def choices(self) -> tuple[int, int] | None:
        """First value and number of values, if the array is one whole number of a small range."""
        if self.item_shape or self.dynamic or self.dtype.kind not in "iu":
            return None
        first = int(self.minimum)
        count = int(self.maximum) - first + 1
        # Gymnasium keeps the count in the same dtype, so a full range is a number, not a choice.
        most = min(MAX_CHOICES, int(np.iinfo(self.dtype).max))
        return (first, count) if 0 < count <= most else None

    @property
    def is_discrete(self) -> bool:
        """Whether the array is one choice of a few."""
        return self.choices is not None

    @property
    def item_bytes(self) -> int:
        """Bytes of one environment's part, or one player's."""
        return self.dtype.itemsize * int(np.prod(self.item_shape, dtype=np.int64))

    def __repr__(self) -> str:
        """Name, shape, dtype and the extreme bounds."""
        low, high = (
            (self.minimum.min(), self.maximum.max()) if self.minimum.size else ("none", "none")
        )
        return f"ArraySpec({self.name!r}, {self.dtype}, {self.shape}, {low} .. {high})"


def _limits(dtype: np.dtype[Any]) -> tuple[object, object]:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return (False, True) if dtype.kind == "b" else (-np.inf, np.inf)


def split(name: str) -> tuple[str, str]:
    """`"obs:a.b"` as ("obs", "a.b"), `"obs"` as ("obs", ""), `"reward"` as ("reward", "")."""
    group, _, path = name.partition(":")
    return group, path


def nest(items: Iterable[tuple[str, T]], owner: str) -> dict[str, Any]:
    """A dict of dicts from names with dots.

    Args:
        items: Names and leaves; `("a.b", 1)` becomes `{"a": {"b": 1}}`.
        owner: The owner of these names, for error messages.

    Raises:
        PluginError: If a name is empty, given twice, or both a leaf and a branch.
    """
    tree: dict[str, Any] = {}
    for name, leaf in items:
        *branches, last = name.split(".")
        node: Any = tree
        for branch in branches:
            node = node.setdefault(branch, {}) if isinstance(node, dict) else None
        if not isinstance(node, dict) or last in node or not all((*branches, last)):
            raise PluginError(
                owner,
                f"an array with the name {name!r}",
                "names that are not empty and differ, none ending where another goes on",
                "Rename the array in the spec of the environment",
            )
        node[last] = leaf
    return tree


def observation_paths(names: Sequence[str]) -> dict[str, str]:
    """The place of each observation array, by its name; "obs" itself goes to ""."""
    return {name: split(name)[1] for name in names if split(name)[0] == "obs"}


def as_observation(leaves: Mapping[str, T], owner: str) -> Any:
    """The observation from its arrays' leaves, by array name: a lone array is not put in a dict."""
    if len(leaves) == 1:
        return next(iter(leaves.values()))
    paths = observation_paths(list(leaves))
    return nest(((paths[name], leaf) for name, leaf in leaves.items()), owner)


def state_tree(names: Sequence[str], leaves: Mapping[str, Any]) -> dict[str, Any]:
    """The leaves of observation and info arrays as the fields of a dm_env observation."""
    items = []
    for name in names:
        group, path = split(name)
        if group in ("obs", "info"):
            items.append((path or group, leaves[name]))
    return nest(items, "the dm_env observation")


def named_tuple(name: str, tree: Mapping[str, Any]) -> Any:
    """A namedtuple of namedtuples from a dict of dicts.

    A key that cannot be the name of a field is changed: "a-b" to "a_b", "class" to "class_", "0" to
    "n0"; if two become equal the later one gets a number.
    """
    fields: list[str] = []
    for key in tree:
        field = re.sub(r"\W", "_", key)
        if keyword.iskeyword(field):
            field += "_"
        if not field or field[0] in "_0123456789":
            field = f"n{field}"
        number = 1
        unique = field
        while unique in fields:
            unique = f"{field}_{number}"
            number += 1
        fields.append(unique)
    leaves = [
        named_tuple(field, leaf) if isinstance(leaf, dict) else leaf
        for field, leaf in zip(fields, tree.values(), strict=True)
    ]
    return named_tuple_of(name, tuple(fields), tuple(leaves))


def named_tuple_of(name: str, fields: tuple[str, ...], values: Iterable[Any]) -> Any:
    """A namedtuple that can be pickled; each name and fields have a single class."""
    return _named_tuple_class(name, fields)(*values)


@functools.cache
def _named_tuple_class(name: str, fields: tuple[str, ...]) -> Any:
    # One class for the results of reset and step, and of all pools of a task: JAX takes results of
    # two classes for two structures, and a loop may not change its structure.
    def as_call(values: Any) -> Any:
        return named_tuple_of, (name, fields, tuple(values))

    # No module has the class, so it is pickled as the call that makes the class.
    body = {"__slots__": (), "__reduce__": as_call, "__module__": __name__}
    return type(name, (namedtuple(name, fields),), body)
