# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's own plugins, for users' models that name one: cable, pid, sdf, touch_grid."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

__all__ = ["load_plugins"]


def load_plugins() -> None:
    """Registers MuJoCo's plugins, once per process.

    If the package `mujoco` of the same version is installed, they are loaded from it: it loads
    them, too, when it is imported, and a second copy would end the process ("already registered").
    """
    from . import _mujoco

    own = Path(_mujoco.__file__).parent / "_lib"
    found = find_spec("mujoco")
    installed = [Path(place) for place in (found and found.submodule_search_locations) or ()]
    library = f"libmujoco.so.{_mujoco.mujoco_version()}"
    folder = next((p for p in installed if (p / library).exists()), own) / "plugin"
    if folder.is_dir():
        _mujoco.load_plugins(str(folder))
