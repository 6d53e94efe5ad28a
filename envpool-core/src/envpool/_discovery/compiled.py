# SPDX-License-Identifier: Apache-2.0
"""How a compiled environment is loaded, and whether it fits this envpool-core."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .._version import API_VERSION, __version__
from ..errors import PluginError, suggest

if TYPE_CHECKING:
    from ..typing import CompiledEnv


def load_object(path: str, task_id: str, wheel: str = "") -> Any:
    """Imports what `"module:Name"` names.

    Args:
        path: Module and name.
        task_id: The task that needs it, for messages.
        wheel: The distribution that has the module, for messages; empty if unknown.

    Raises:
        PluginError: If the module cannot be imported or lacks the name.
    """
    module_name, _, attribute = path.partition(":")
    provider = wheel or module_name.partition(".")[0]
    try:
        module = importlib.import_module(module_name)
    # A module that calls sys.exit() must not end the program.
    except (Exception, SystemExit) as cause:
        from .import_errors import (
            trouble,  # needed, and slow to import, only when something is wrong
        )

        parts = trouble(cause, module_name, provider)
        raise PluginError(f"task {task_id!r}", *parts, wheel=wheel) from cause
    try:
        return getattr(module, attribute)
    except AttributeError:
        names = [name for name in vars(module) if not name.startswith("__")]
        raise PluginError(
            f"task {task_id!r}",
            f"no {attribute!r} in the module {module_name}",
            f"one of {names}",
            suggest(attribute, names, f"Correct the path {path!r} of the task"),
            wheel=wheel,
        ) from None


def check_api(env: CompiledEnv, path: str, wheel: str = "") -> None:
    """Refuses an environment that was compiled with headers of another interface number.

    Raises:
        PluginError: If the numbers differ; names both wheels and the one to upgrade.
    """
    if not hasattr(env, "api_version"):
        raise PluginError(
            f"import of {path}",
            f"an object of type {type(env).__name__}",
            "an environment that envpool::Register added to its module",
            "Correct the path of the task",
            wheel=wheel,
        )
    if env.api_version == API_VERSION:
        return
    provider = wheel or path.partition(".")[0].partition(":")[0]
    older = provider if env.api_version < API_VERSION else "envpool-core"
    raise PluginError(
        f"import of {path}",
        f"interface number {env.api_version} in {provider}",
        f"{API_VERSION}, the number of envpool-core {__version__}",
        f"Run `pip install --upgrade {older}`, or build {provider} against this envpool-core",
        wheel=wheel,
    )
