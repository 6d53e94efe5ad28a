# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of dm_env pools: here it is the class itself."""

from .._pools.dm import DmPool as DMEnvPoolMixin

__all__ = ["DMEnvPoolMixin"]
