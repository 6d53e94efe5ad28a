# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.lax`."""

from .._pools.base import EnvPoolMixin as XlaMixin

__all__ = ["XlaMixin"]
