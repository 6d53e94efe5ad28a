# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.api`."""

from .._pools.base import EnvPoolMixin as EnvPool
from .._upstream.python_modules import py_env

__all__ = ["EnvPool", "py_env"]
