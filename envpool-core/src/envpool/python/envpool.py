# SPDX-License-Identifier: Apache-2.0
"""`EnvPoolMixin`, the base of every pool, under the name that TorchRL looks for."""

from __future__ import annotations

from .._pools.base import EnvPoolMixin

__all__ = ["EnvPoolMixin"]
