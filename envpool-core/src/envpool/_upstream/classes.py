# SPDX-License-Identifier: Apache-2.0
"""The classes of upstream's modules, as `envpool.atari.AtariGymnasiumEnvPool`, for code that asks.

    from envpool.classic_control import CartPoleEnvSpec, CartPoleGymnasiumEnvPool

    spec = CartPoleEnvSpec(CartPoleEnvSpec.gen_config(num_envs=4))
    pool = CartPoleGymnasiumEnvPool(spec)

classes.json has upstream's names, and for each a task, whose defaults and files the class uses. New
code calls `envpool.make`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from .._discovery.registry import registry
from ..errors import MissingPackageError

_ENDINGS = ("EnvSpec", "DMEnvPool", "GymnasiumEnvPool")


def names_of(module: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of one of the modules; raises as `Classes` does."""
    classes = Classes(module)
    return classes.names, classes.find, lambda: classes.names


class Classes:
    """The classes of one of the modules: for each environment a spec class and two pool classes."""

    def __init__(self, module: str) -> None:
        """Reads the names; imports no family.

        Args:
            module: Its full name, as "envpool.mujoco.gym".

        Raises:
            MissingPackageError: If the family that has its tasks is not installed.
        """
        known: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
        self._module = module
        self._tasks: dict[str, str] = known[module]["classes"]
        self._fixed: dict[str, dict[str, Any]] = {stem: {} for stem in self._tasks}
        if known[module]["pixels"]:
            self._fixed |= {f"{stem}Pixel": {"from_pixels": True} for stem in self._tasks}
        self.names = [stem + ending for stem in self._fixed for ending in _ENDINGS]
        _check_installed(known[module]["family"], f"import {module}")

    def find(self, name: str) -> Any:
        """The class of a name.

        Raises:
            AttributeError: If upstream's module has no class of that name.
        """
        match = re.fullmatch(rf"(\w+?)({'|'.join(_ENDINGS)})", name)
        if match is None or match[1] not in self._fixed:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        return self._find(*match.groups())

    @functools.cache  # noqa: B019 - a module has one, for ever
    def _find(self, stem: str, ending: str) -> Any:
        from .._pools.make import make_spec
        from .._pools.pool_classes import pool_class

        fixed = self._fixed[stem]
        spec = make_spec(self._tasks[stem.removesuffix("Pixel")], **fixed)
        if ending == "EnvSpec":
            return _spec_class(stem, self._module, spec, fixed)
        return pool_class(spec.env, "dm" if ending == "DMEnvPool" else "gymnasium")


class _OfTask:
    """A spec class with the options of a task, which uses the files of that task."""

    _task_id: ClassVar[str]
    _fixed: ClassVar[dict[str, Any]]
    _known: ClassVar[dict[str, Any]]

    def __init__(self, config: Any = ()) -> None:
        from .._pools.make import make_spec
        from .._specs.spec import as_dict

        given = as_dict(config, self._known, f"{type(self).__name__}(")
        changed = {key: x for key, x in given.items() if not _same(x, self._known.get(key))}
        vars(self).update(vars(make_spec(self._task_id, **{**self._fixed, **changed})))


def _spec_class(stem: str, module: str, spec: Any, fixed: dict[str, Any]) -> Any:
    from .._specs.options import known_options

    task = spec.task
    defaults = spec.env.default_config()
    known = known_options(defaults, task.defaults, task.id, task.options) | fixed
    body = {
        "__doc__": f"Options and arrays of pools like those of {task.id}.",
        "__module__": module,
        "_task_id": task.id,
        "_fixed": fixed,
        "_known": known,
        "_config_keys": list(known),
        "_default_config_values": tuple(known.values()),
    }
    return type(f"{stem}EnvSpec", (_OfTask, type(spec)), body)


def _same(value: object, default: object) -> bool:
    try:
        return bool(value == default)
    except ValueError:  # arrays
        return False


def _check_installed(family: str, asked: str) -> None:
    if any(plugin.name == family for plugin in registry.plugins()):
        return
    raise MissingPackageError(
        asked,
        f"no family {family!r}, which has these tasks",
        "the modules of installed families",
        f"Run `pip install envpool-{family}`",
    )
