# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.protocol`."""

from .._pools.base import EnvPoolMixin as EnvPool
from .._pools.dm import DmPool as DMEnvPool
from .._pools.gymnasium import GymnasiumPool as GymnasiumEnvPool
from .._specs.arrays import ArraySpec
from .._specs.spec import EnvSpec
from .._upstream.python_modules import GymnasiumResetReturn, GymnasiumStepReturn, InfoDict, ObsType

__all__ = [
    "ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool", "GymnasiumResetReturn",
    "GymnasiumStepReturn", "InfoDict", "ObsType",
]  # fmt: skip
