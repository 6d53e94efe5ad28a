# SPDX-License-Identifier: Apache-2.0
"""Views of pools whose base class is a library's, which is imported for the first view.

base = library_class("sb3_vec_env()", "stable_baselines3.common.vec_env", "VecEnv")
view_class("EnvPoolVecEnv", VecEnvMethods, base)(pool)
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from ..errors import MissingPackageError


def library_class(asked: str, module: str, name: str) -> type:
    """A class of a library.

    Args:
        asked: The user's call, for error messages.
        module: The module of the class.
        name: The class's name.

    Raises:
        MissingPackageError: If the library is not installed.
    """
    package = module.partition(".")[0].replace("_", "-")
    try:
        found: type = getattr(importlib.import_module(module), name)
    except ImportError as cause:
        raise MissingPackageError(
            asked,
            f"no {package} ({cause})",
            f"a Python that has {package}",
            f"Run `pip install {package}`",
        ) from cause
    return found


@functools.cache
def view_class(name: str, methods: type, base: type) -> Any:
    """The class of a view: `methods` has its behaviour, `base` its type."""
    return type(name, (methods, base), {"__module__": methods.__module__})
