# SPDX-License-Identifier: Apache-2.0
"""EnvPool: pools of reinforcement-learning environments, in C++, stepped in batches.

import envpool

pool = envpool.make("CartPole-v1", num_envs=64)
"""

from typing import TYPE_CHECKING, Any

from ._make import make, make_dm, make_gym, make_gymnasium, make_spec
from ._registry import failures, list_all_envs, register
from ._task import Deprecation, Task
from ._version import __version__

if TYPE_CHECKING:
    from ._hooks import hookimpl
    from .gymnasium import register_envs as register_gymnasium_envs
    from .python.protocol import ArraySpec, DMEnvPool, EnvPool, EnvSpec, GymnasiumEnvPool

__all__ = [
    "ArraySpec", "DMEnvPool", "Deprecation", "EnvPool", "EnvSpec", "GymnasiumEnvPool", "Task",
    "__version__", "failures", "hookimpl", "list_all_envs", "make", "make_dm", "make_gym",
    "make_gymnasium", "make_spec", "register", "register_gymnasium_envs",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name == "register_gymnasium_envs":
        return import_module(".gymnasium", __name__).register_envs
    home = "._hooks" if name == "hookimpl" else ".python.protocol"
    return getattr(import_module(home, __name__), name)
