# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.envpool`."""

from .._pools.base import EnvPoolMixin

__all__ = ["EnvPoolMixin"]
