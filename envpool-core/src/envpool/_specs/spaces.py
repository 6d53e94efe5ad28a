# SPDX-License-Identifier: Apache-2.0
"""Array specs as Gymnasium spaces of one environment.

    one whole number of a small range   Discrete(n, start)
    whole numbers that name choices     MultiDiscrete(counts, start): `MultiDiscrete` in C++
    booleans                            MultiBinary(shape)
    everything else                     Box(low, high) of the array's dtype; unbounded is infinite

Choices have Gymnasium's dtype, int64, whatever the array has: the space then equals that of the
Gymnasium environment, and a policy that was trained on one is accepted for the other.

Arrays that change their shape (`Container` in C++) have no space: they are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from .arrays import ArraySpec, as_observation, nest, split


def space_of(spec: ArraySpec) -> spaces.Space[Any]:
    """The space of an array of one environment (or one player)."""
    if spec.choices is not None:
        start, count = spec.choices
        return spaces.Discrete(count, start=start)
    if spec.categorical:
        low, high = spec.minimum.astype(np.int64), spec.maximum.astype(np.int64)
        return spaces.MultiDiscrete(high - low + 1, start=low)
    if spec.dtype.kind == "b":
        return spaces.MultiBinary(spec.item_shape)
    return spaces.Box(spec.minimum, spec.maximum, spec.item_shape, spec.dtype.type)


def observation_space(state: Mapping[str, ArraySpec]) -> spaces.Space[Any]:
    """The space of the observation: a lone array's own, else a Dict of spaces."""
    found = {
        name: None if spec.dynamic else space_of(spec)
        for name, spec in state.items()
        if split(name)[0] == "obs"
    }
    return _as_space(as_observation(found, "the observation"))


def action_space(action: Mapping[str, ArraySpec]) -> spaces.Space[Any]:
    """The space of the family's own action arrays: a lone array's own, else a Dict of spaces."""
    own = {name: space_of(spec) for name, spec in action.items()}
    if len(own) == 1:
        return next(iter(own.values()))
    return _as_space(nest(own.items(), "the action"))


def _as_space(tree: dict[str, Any] | spaces.Space[Any] | None) -> spaces.Space[Any]:
    if isinstance(tree, spaces.Space):
        return tree
    found = {key: _as_space(leaf) for key, leaf in (tree or {}).items() if leaf is not None}
    return spaces.Dict(found)
