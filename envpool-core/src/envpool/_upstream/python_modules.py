# SPDX-License-Identifier: Apache-2.0
"""`py_env`, types and conversions of upstream's modules `envpool.python.*`.

    from .toy_envpool import _ToyEnvPool, _ToyEnvSpec

    ToyEnvSpec, ToyDMEnvPool, ToyGymnasiumEnvPool = py_env(_ToyEnvSpec, _ToyEnvPool)
    pool = ToyGymnasiumEnvPool(ToyEnvSpec(ToyEnvSpec.gen_config(num_envs=4)))

New code needs no `py_env`: a `Task` names the compiled environment itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import dm_env.specs  # type: ignore[import-untyped]
import gymnasium

from .._discovery.compiled import check_api
from .._pools.dm import DmPool
from .._pools.gymnasium import GymnasiumPool
from .._pools.pool_classes import pool_class
from .._specs.arrays import ArraySpec, named_tuple
from .._specs.dm_specs import spec_of
from .._specs.spaces import space_of
from .._specs.spec import EnvSpec, spec_class
from ..typing import CompiledEnv

DMEnvPoolMeta = type(DmPool)
GymnasiumEnvPoolMeta = type(GymnasiumPool)
ObsType = Any
InfoDict = dict[str, Any]
GymnasiumResetReturn = tuple[ObsType, InfoDict]
GymnasiumStepReturn = tuple[ObsType, Any, Any, Any, InfoDict]


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


def to_nested_dict(flatten_dict: Mapping[str, Any], generator: type = dict) -> dict[str, Any]:
    """`{"a.b": 1, "a.c": 2}` as `{"a": {"b": 1, "c": 2}}`.

    Args:
        flatten_dict: A dict whose keys have dots between the levels.
        generator: The type of each level; it is called without arguments.
    """
    tree: dict[str, Any] = generator()
    for path, value in flatten_dict.items():
        *levels, name = path.split(".")
        inner = tree
        for level in levels:
            inner = inner.setdefault(level, generator())
        inner[name] = value
    return tree


def to_namedtuple(name: str, hdict: Mapping[str, Any]) -> Any:
    """Nested dicts as nested namedtuples, the outer one called `name`."""
    return named_tuple(name, dict(hdict))


def dm_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> dm_env.specs.Array:
    """The dm_env spec of one environment's array.

    Args:
        name: The result's name.
        spec: From `state_array_spec` or `action_array_spec` of a spec.
        spec_type: "obs" or "act"; the result is the same.
    """
    del spec_type
    return spec_of(spec).replace(name=name)


def gymnasium_spec_transform(name: str, spec: ArraySpec, spec_type: str) -> gymnasium.Space[Any]:
    """The Gymnasium space of one environment's array.

    Args:
        name: Not used; upstream has it. Spaces have no names.
        spec: From `state_array_spec` or `action_array_spec` of a spec.
        spec_type: "obs" or "act"; the result is the same.
    """
    del name, spec_type
    return space_of(spec)
