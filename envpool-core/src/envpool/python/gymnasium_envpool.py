# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of Gymnasium pools: here it is the class itself."""

from .._pools.gymnasium import GymnasiumPool as GymnasiumEnvPoolMixin

__all__ = ["GymnasiumEnvPoolMixin"]
