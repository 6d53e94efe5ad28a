# SPDX-License-Identifier: Apache-2.0
"""What a pool needs before it is made: the images that its frames are made of."""

from __future__ import annotations

from collections.abc import Mapping

from envpool import Task

__all__ = ["prepare"]


def prepare(task: Task, options: Mapping[str, object], build: bool) -> None:
    """Before the first pool that draws; they are not read where nothing is drawn."""
    if build and options.get("render_mode") is not None:
        from ._sprites import install_once

        install_once(task.env.rpartition(":")[2].removesuffix("V4"))
