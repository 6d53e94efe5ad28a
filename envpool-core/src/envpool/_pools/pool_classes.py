# SPDX-License-Identifier: Apache-2.0
"""The pool classes of a compiled environment, as `CartPoleGymnasiumEnvPool`."""

from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any

from .._specs.spec import stem
from ..errors import ConfigError
from ..typing import CompiledEnv

if TYPE_CHECKING:
    from .base import EnvPoolMixin


def pool_class(
    env: CompiledEnv, env_type: str, mixin: type[Any] | None = None
) -> type[EnvPoolMixin]:
    """The class of pools of one compiled environment with one interface, the same at each call.

    Args:
        env: The compiled environment.
        env_type: "gymnasium", "vector" or "dm".
        mixin: Additional methods of its pools; see `Prepared`.

    Raises:
        ConfigError: If env_type is "vector" and the installed Gymnasium is older than 1.0.
    """
    return _pool_class(env, env_type, mixin)  # type: ignore[arg-type]


@functools.cache  # the cache distinguishes a default from an equal given value
def _pool_class(env: CompiledEnv, env_type: str, mixin: type[Any] | None) -> type[EnvPoolMixin]:
    # Gymnasium's own classes are direct bases, too: some libraries look no further up.
    bases: tuple[type, ...]
    if env_type == "dm":
        from .dm import DmPool

        name, bases = "DMEnvPool", (DmPool,)
    elif env_type == "vector":
        _check_gymnasium()
        from gymnasium.vector import VectorEnv

        from .vector import VectorPool

        name, bases = "VectorEnvPool", (VectorPool, VectorEnv)
    else:
        from gymnasium import Env
        from gymnasium.vector import VectorEnv

        from .gymnasium import GymnasiumPool

        name, bases = "GymnasiumEnvPool", (GymnasiumPool, VectorEnv, Env)
    bases = (*(cls for cls in (mixin, env.pool_methods) if cls is not None), *bases)
    body = {"__doc__": f"A pool of {stem(env)}.", "__module__": __name__}
    return types.new_class(f"{stem(env)}{name}", bases, exec_body=lambda space: space.update(body))


def _check_gymnasium() -> None:
    # The other interfaces run on Gymnasium 0.29, to which Sample Factory is bound.
    import gymnasium

    if gymnasium.__version__.startswith("0."):
        raise ConfigError(
            "make(..., env_type='vector')",
            f"Gymnasium {gymnasium.__version__}, whose VectorEnv is another class",
            "Gymnasium 1.0 or newer",
            "Run `pip install --upgrade gymnasium`, or use env_type='gymnasium'",
        )
