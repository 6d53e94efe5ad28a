# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of pools with `xla()`: here every pool has it."""

from .._pools.base import EnvPoolMixin as XlaMixin

__all__ = ["XlaMixin"]
