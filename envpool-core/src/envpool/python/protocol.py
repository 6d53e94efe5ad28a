# SPDX-License-Identifier: Apache-2.0
"""The types of upstream's `envpool.python.protocol`: here they are the real classes.

`DMEnvPool` and `GymnasiumEnvPool` import dm_env and Gymnasium, so they are loaded at their first
use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._pools.base import EnvPoolMixin as EnvPool
from .._specs.arrays import ArraySpec
from .._specs.spec import EnvSpec

if TYPE_CHECKING:
    from .._pools.dm import DmPool as DMEnvPool
    from .._pools.gymnasium import GymnasiumPool as GymnasiumEnvPool

ObsType = Any
InfoDict = dict[str, Any]
GymnasiumResetReturn = tuple[ObsType, InfoDict]
GymnasiumStepReturn = tuple[ObsType, Any, Any, Any, InfoDict]

__all__ = [
    "ArraySpec",
    "DMEnvPool",
    "EnvPool",
    "EnvSpec",
    "GymnasiumEnvPool",
    "GymnasiumResetReturn",
    "GymnasiumStepReturn",
    "InfoDict",
    "ObsType",
]


def __getattr__(name: str) -> Any:
    if name == "DMEnvPool":
        from .._pools.dm import DmPool

        return DmPool
    if name == "GymnasiumEnvPool":
        from .._pools.gymnasium import GymnasiumPool

        return GymnasiumPool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
