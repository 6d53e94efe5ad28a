# SPDX-License-Identifier: Apache-2.0
"""Array specs as dm_env specs of one environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dm_env import specs  # type: ignore[import-untyped]

from .arrays import ArraySpec, named_tuple, nest, state_tree


def spec_of(spec: ArraySpec) -> specs.Array:
    """A DiscreteArray for a choice that counts from 0, else a BoundedArray."""
    name = spec.name.replace(":", ".").rpartition(".")[2]
    if spec.choices is not None and spec.choices[0] == 0:
        return specs.DiscreteArray(spec.choices[1], dtype=spec.dtype, name=name)
    if spec.dynamic:
        return specs.Array(spec.item_shape, object, name=name)
    return specs.BoundedArray(spec.item_shape, spec.dtype, spec.minimum, spec.maximum, name=name)


def observation_spec(state: Mapping[str, ArraySpec]) -> Any:
    """A namedtuple State of specs, shaped like the observation of a TimeStep."""
    leaves = {name: spec_of(spec) for name, spec in state.items()}
    return named_tuple("State", state_tree(list(state), leaves))


def action_spec(action: Mapping[str, ArraySpec]) -> Any:
    """The spec of the family's own action array, or a namedtuple Action of them."""
    own = {name: spec_of(spec) for name, spec in action.items()}
    if len(own) == 1:
        return next(iter(own.values()))
    return named_tuple("Action", nest(own.items(), "the action"))
