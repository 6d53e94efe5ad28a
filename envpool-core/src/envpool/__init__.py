# SPDX-License-Identifier: Apache-2.0
"""EnvPool: pools of reinforcement-learning environments, in C++, stepped in batches.

    import envpool

    pool = envpool.make("CartPole-v1", num_envs=64)

Names that need NumPy, Gymnasium, dm_env or pluggy are imported at their first use.
"""

import os
from typing import TYPE_CHECKING, Any

from . import errors
from ._discovery.registry import failures, list_all_envs, register
from ._pools.make import make, make_dm, make_gym, make_gymnasium, make_spec
from ._version import __version__
from .compared import Compared
from .family import Deprecation, Finding, Keys, Prepared, Task

if TYPE_CHECKING:
    from . import gymnasium, pixels, python, registration, video
    from ._discovery.hooks import Family, hookimpl
    from .gymnasium import register_gymnasium_envs
    from .python.protocol import ArraySpec, DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool

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
    hooks = "._discovery.hooks"
    homes = {"Family": hooks, "hookimpl": hooks, "register_gymnasium_envs": ".gymnasium"}
    return getattr(import_module(homes.get(name, ".python.protocol"), __name__), name)
