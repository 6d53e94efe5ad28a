# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.registration`, for code written for it."""

from __future__ import annotations

from ._discovery.registry import Registry as EnvRegistry
from ._discovery.registry import list_all_envs, registry
from ._pools.make import make, make_dm, make_gymnasium, make_spec
from ._pools.make import make_gymnasium as make_gym
from ._upstream.register import register

__all__ = [
    "EnvRegistry",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
    "register",
    "registry",
]
