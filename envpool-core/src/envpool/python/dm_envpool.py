# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of dm_env pools and its metaclass: here the class itself, and its type."""

from .._pools.dm import DmPool as DMEnvPoolMixin

DMEnvPoolMeta = type(DMEnvPoolMixin)

__all__ = ["DMEnvPoolMeta", "DMEnvPoolMixin"]
