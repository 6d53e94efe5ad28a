# SPDX-License-Identifier: Apache-2.0
"""Loads compiled environments and checks their interface number."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from .._version import API_VERSION, __version__
from ..errors import PluginError, suggest

if TYPE_CHECKING:
    from ..typing import CompiledEnv


def load_env(path: str, task_id: str, provider: str = "") -> CompiledEnv:
    """Imports the compiled environment that `"module:Name"` names.

    Args:
        path: Module and name; a name may be one in another, as "toy:ToyEnvSpec.env".
        task_id: The task that needs it, for messages.
        provider: The distribution that has the module; empty for a module of the user's own.

    Raises:
        PluginError: If it cannot be imported, was built for another envpool-core, or if this Python
            goes on without its GIL.
    """
    env: CompiledEnv = load_object(path, task_id, provider)
    check_api(env, path, provider)
    return env


def load_object(path: str, task_id: str, provider: str = "") -> Any:
    """Imports the object named by `"module:Name"`.

    Args:
        path: As in `load_env`, like the other arguments.
        task_id: For messages.
        provider: For messages.

    Raises:
        PluginError: If the module cannot be imported or lacks the name.
    """
    module_name, _, attribute = path.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    # A module that calls sys.exit() must not end the program.
    except (Exception, SystemExit) as cause:
        # The import takes a while, and is needed only after an error.
        from .import_errors import explain_import

        parts = explain_import(cause, module_name, provider)
        raise PluginError(f"task {task_id!r}", *parts, wheel=provider) from cause
    place = f"the module {module_name}"
    for name in attribute.split("."):
        if not hasattr(found, name):
            names = [key for key in vars(found) if not key.startswith("__")]
            raise PluginError(
                f"task {task_id!r}",
                f"no {name!r} in {place}",
                f"one of {names}",
                suggest(name, names, f"Correct the path {path!r} of the task"),
                wheel=provider,
            )
        found, place = getattr(found, name), name
    return found


def check_api(env: CompiledEnv, path: str, provider: str = "") -> None:
    """Refuses an environment that was compiled with headers of another interface number.

    Raises:
        PluginError: If the numbers differ; names both wheels and the one to upgrade. Or if this
            Python goes on without its GIL.
    """
    # Only the GIL makes the reference counts of results safe. A free-threaded Python turns its GIL
    # on for a module that does not declare to run without it, unless told not to.
    if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
        raise PluginError(
            f"import of {path}",
            "a Python whose GIL is kept off by PYTHON_GIL=0 or -X gil=0",
            "a Python with its GIL, which a free-threaded one switches on for this import",
            "Unset PYTHON_GIL, and leave -X gil=0 out",
            wheel=provider,
        )
    if not hasattr(env, "api_version"):
        raise PluginError(
            f"import of {path}",
            f"an object of type {type(env).__name__}",
            "an environment that envpool::Register added to its module",
            "Correct the path of the task",
            wheel=provider,
        )
    is_backend = hasattr(env, "discard")  # all of them inherit it from EnvBackend
    if env.api_version == API_VERSION and is_backend:
        return
    owner = provider or path.partition(":")[0].partition(".")[0]
    build = f"build {owner} against this envpool-core"
    if env.api_version == API_VERSION:
        raise PluginError(
            f"import of {path}",
            f"a {type(env).__name__} that lacks what an EnvBackend has",
            "environments that derive from envpool.pool_backend.EnvBackend, as compiled ones do",
            f"{build[0].upper()}{build[1:]}, or derive it",
            wheel=provider,
        )
    if env.api_version > API_VERSION:
        then = f"Run `pip install --upgrade envpool-core`, or {build}"
    else:
        then = f"Run `pip install --upgrade {provider}`, or {build}" if provider else build
    raise PluginError(
        f"import of {path}",
        f"interface number {env.api_version} in {owner}",
        f"{API_VERSION}, the number of envpool-core {__version__}",
        then[0].upper() + then[1:],
        wheel=provider,
    )
