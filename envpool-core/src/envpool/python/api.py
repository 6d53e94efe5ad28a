# SPDX-License-Identifier: Apache-2.0
"""`py_env`: the Python classes of a compiled environment, as in EnvPool's documentation.

    from .toy_envpool import _ToyEnvPool, _ToyEnvSpec

    ToyEnvSpec, ToyDMEnvPool, ToyGymnasiumEnvPool = py_env(_ToyEnvSpec, _ToyEnvPool)
    pool = ToyGymnasiumEnvPool(ToyEnvSpec(ToyEnvSpec.gen_config(num_envs=4)))

New code needs no `py_env`: a `Task` names the compiled environment itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._discovery.compiled import check_api
from .._pools.base import EnvPoolMixin as EnvPool
from .._pools.pool_classes import pool_class
from .._specs.spec import EnvSpec, spec_class
from ..typing import CompiledEnv

if TYPE_CHECKING:
    from .._pools.dm import DmPool
    from .._pools.gymnasium import GymnasiumPool


__all__ = ["EnvPool", "py_env"]


def py_env(envspec: Any, envpool: Any) -> tuple[type[EnvSpec], type[DmPool], type[GymnasiumPool]]:
    """The spec class, the dm_env class and the Gymnasium class of a compiled environment.

    Args:
        envspec: `_XEnvSpec` of the extension module.
        envpool: `_XEnvPool` of the extension module; `REGISTER` makes the two the same object.

    Raises:
        PluginError: If it is no compiled environment, or was built for another envpool-core.
    """
    del envspec
    env: CompiledEnv = envpool
    check_api(env, str(getattr(env, "name", type(env).__name__)))
    return (
        spec_class(env),
        cast("type[DmPool]", pool_class(env, "dm")),
        cast("type[GymnasiumPool]", pool_class(env, "gymnasium")),
    )
