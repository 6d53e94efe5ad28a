# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.gymnasium_envpool`."""

from .._pools.gymnasium import GymnasiumPool as GymnasiumEnvPoolMixin
from .._upstream.python_modules import GymnasiumEnvPoolMeta

__all__ = ["GymnasiumEnvPoolMeta", "GymnasiumEnvPoolMixin"]
