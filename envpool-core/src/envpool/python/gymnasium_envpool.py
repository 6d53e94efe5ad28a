# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of Gymnasium pools and its metaclass: here the class itself, and its type."""

from .._pools.gymnasium import GymnasiumPool as GymnasiumEnvPoolMixin

GymnasiumEnvPoolMeta = type(GymnasiumEnvPoolMixin)

__all__ = ["GymnasiumEnvPoolMeta", "GymnasiumEnvPoolMixin"]
