# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.data`."""

from .._upstream.python_modules import (
    dm_spec_transform,
    gymnasium_spec_transform,
    to_namedtuple,
    to_nested_dict,
)

__all__ = ["dm_spec_transform", "gymnasium_spec_transform", "to_namedtuple", "to_nested_dict"]
