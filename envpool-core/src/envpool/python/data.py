# SPDX-License-Identifier: Apache-2.0
"""Upstream's conversions of flat names and of array specs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dm_env.specs  # type: ignore[import-untyped]
import gymnasium

from .._specs.arrays import ArraySpec, named_tuple
from .._specs.dm_specs import spec_of
from .._specs.spaces import space_of

__all__ = ["dm_spec_transform", "gymnasium_spec_transform", "to_namedtuple", "to_nested_dict"]


def to_nested_dict(flatten_dict: Mapping[str, Any], generator: type = dict) -> dict[str, Any]:
    """`{"a.b": 1, "a.c": 2}` as `{"a": {"b": 1, "c": 2}}`.

    Args:
        flatten_dict: A dict whose keys have dots between the levels.
        generator: The type of each level; it is called without arguments.
    """
    tree: dict[str, Any] = generator()
    for path, value in flatten_dict.items():
        *levels, name = path.split(".")
        inner = tree
        for level in levels:
            inner = inner.setdefault(level, generator())
        inner[name] = value
    return tree


def to_namedtuple(name: str, hdict: Mapping[str, Any]) -> Any:
    """Nested dicts as nested namedtuples, the outer one called `name`."""
    return named_tuple(name, dict(hdict))


def dm_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> dm_env.specs.Array:
    """The dm_env spec of one environment's array.

    Args:
        name: The result's name.
        spec: From `state_array_spec` or `action_array_spec` of a spec.
        spec_type: "obs" or "act"; the result is the same.
    """
    del spec_type
    return spec_of(spec).replace(name=name)


def gymnasium_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> gymnasium.Space[Any]:
    """The Gymnasium space of one environment's array.

    Args:
        name: Not used; upstream has it. Spaces have no names.
        spec: From `state_array_spec` or `action_array_spec` of a spec.
        spec_type: "obs" or "act"; the result is the same.
    """
    del name, spec_type
    return space_of(spec)
