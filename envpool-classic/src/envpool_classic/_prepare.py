# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: loads the images that its frames are composed of."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Task

__all__ = ["prepare"]


def prepare(task: Task, options: Mapping[str, object], build: bool) -> None:
    """Loads the images before the first pool that draws. Other pools do not need them."""
    if build and options.get("render_mode") is not None:
        from ._sprites import install_once

        install_once(task.env.rpartition(":")[2].removesuffix("V4"))
