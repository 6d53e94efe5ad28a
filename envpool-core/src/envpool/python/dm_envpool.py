# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.dm_envpool`."""

from .._pools.dm import DmPool as DMEnvPoolMixin
from .._upstream.python_modules import DMEnvPoolMeta

__all__ = ["DMEnvPoolMeta", "DMEnvPoolMixin"]
