# SPDX-License-Identifier: Apache-2.0
"""Upstream's `envpool.python`. Its modules are imported at their first use."""

from importlib import import_module
from types import ModuleType

__all__ = [
    "api", "data", "dm_envpool", "env_spec", "envpool", "gymnasium_envpool", "lax", "protocol",
]  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
