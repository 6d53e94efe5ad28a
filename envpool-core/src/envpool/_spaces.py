# SPDX-License-Identifier: Apache-2.0
"""Array specs as Gymnasium spaces of one environment.

    one whole number of a small range   Discrete(n, start) of the array's dtype
    booleans                            MultiBinary(shape)
    everything else                     Box(low, high) of the array's dtype; unbounded is infinite

Arrays that change their shape (`Container` in C++) have no space that fits: they are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces

from ._arrays import ArraySpec, as_observation, nest


def space_of(spec: ArraySpec) -> spaces.Space[Any]:
    """The space of one array, as one environment (or one player) has it."""
    if spec.choices is not None:
        start, count = spec.choices
        try:
            return spaces.Discrete(count, start=start, dtype=spec.dtype.type)
        except TypeError:  # Gymnasium before 1.2 has no dtype here
            return spaces.Discrete(count, start=start)
    if spec.dtype.kind == "b":
        return spaces.MultiBinary(spec.item_shape)
    return spaces.Box(spec.minimum, spec.maximum, spec.item_shape, spec.dtype.type)


def observation_space(state: Mapping[str, ArraySpec]) -> spaces.Space[Any]:
    """The space of the observation: a lone array's own, else a Dict of them."""
    found = {
        name: space_of(spec)
        for name, spec in state.items()
        if name.partition(":")[0] == "obs" and not spec.dynamic
    }
    return _as_dict(as_observation(found, "the observation"))


def action_space(action: Mapping[str, ArraySpec]) -> spaces.Space[Any]:
    """The space of the family's own action arrays: a lone one's own, else a Dict of them."""
    own = {name: space_of(spec) for name, spec in action.items()}
    if len(own) == 1:
        return next(iter(own.values()))
    return _as_dict(nest(own.items(), "the action"))


def _as_dict(tree: Any) -> spaces.Space[Any]:
    if not isinstance(tree, dict):
        return tree  # type: ignore[no-any-return]
    return spaces.Dict({key: _as_dict(leaf) for key, leaf in tree.items()})
