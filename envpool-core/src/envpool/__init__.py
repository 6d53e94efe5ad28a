# SPDX-License-Identifier: Apache-2.0
"""EnvPool: pools of reinforcement-learning environments, in C++, stepped in batches.

    import envpool

    pool = envpool.make("CartPole-v1", num_envs=64)

Names that need NumPy, Gymnasium, dm_env or pluggy are imported at their first use.
"""

import os
from typing import TYPE_CHECKING, Any

from . import errors
from ._discovery.registry import failures, list_all_envs
from ._pools.make import make, make_dm, make_gymnasium, make_spec
from ._pools.make import make_gymnasium as make_gym
from ._upstream.register import register
from ._version import __version__
from .compared import Compared
from .family import Deprecation, Finding, Keys, Prepared, Task

if TYPE_CHECKING:
    from . import gymnasium, pixels, python, registration, video
    from ._discovery.hooks import Family, hookimpl
    from ._pools.base import EnvPoolMixin as EnvPool
    from ._pools.dm import DmPool as DMEnvPool
    from ._pools.gymnasium import GymnasiumPool as GymnasiumEnvPool
    from ._specs.arrays import ArraySpec
    from ._specs.spec import EnvSpec
    from .gymnasium import register_gymnasium_envs

__all__ = [
    "ArraySpec", "Compared", "DMEnvPool", "Deprecation", "EnvPool", "EnvSpec", "Family",
    "Finding", "GymnasiumEnvPool", "Keys", "Prepared", "Task", "__version__", "errors", "failures",
    "gymnasium", "hookimpl", "list_all_envs", "make", "make_dm", "make_gym", "make_gymnasium",
    "make_spec", "pixels", "python", "register", "register_gymnasium_envs", "registration",
    "video",
]  # fmt: skip


if os.path.exists(os.path.join(os.path.dirname(__file__), "entry.py")):  # noqa: PTH110, PTH118, PTH120
    from ._upstream import mixed

    mixed.warn()

# The module of each name that is imported at its first use, and its name there.
_HOMES = {
    "ArraySpec": ("._specs.arrays", "ArraySpec"),
    "DMEnvPool": ("._pools.dm", "DmPool"),
    "EnvPool": ("._pools.base", "EnvPoolMixin"),
    "EnvSpec": ("._specs.spec", "EnvSpec"),
    "Family": ("._discovery.hooks", "Family"),
    "GymnasiumEnvPool": ("._pools.gymnasium", "GymnasiumPool"),
    "hookimpl": ("._discovery.hooks", "hookimpl"),
    "register_gymnasium_envs": (".gymnasium", "register_gymnasium_envs"),
}
# Modules of upstream, which need a family.
_FAMILY_MODULES = ("atari", "classic_control", "mujoco", "procgen", "toy_text", "vizdoom")


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in __all__ and name not in _FAMILY_MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    modules = ("gymnasium", "pixels", "python", "registration", "video", *_FAMILY_MODULES)
    if name in modules:
        return import_module(f".{name}", __name__)
    module, own_name = _HOMES[name]
    return getattr(import_module(module, __name__), own_name)
