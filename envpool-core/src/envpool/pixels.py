# SPDX-License-Identifier: Apache-2.0
"""Images as observations, for tasks of a family that has a separate environment for them.

    from envpool import Family, Task, pixels

    def prepare(task, options, build):
        return pixels.prepare(task, options, "envpool_toy._toy:ToyPixels")

    FAMILY = Family(
        [Task("Toy-v0", "envpool_toy._toy:Toy", options=pixels.options())], prepare=prepare
    )

`ToyPixels` is the registered name of `envpool::FromPixels<Toy>`. Then
`make("Toy-v0", from_pixels=True, frame_stack=4, render_width=64, render_height=64)` works.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import ConfigError
from .family import Prepared, Task

if TYPE_CHECKING:
    from .typing import CompiledEnv

__all__ = ["options", "prepare"]


def options() -> dict[str, object]:
    """The options `from_pixels` and `frame_stack` with their defaults, for `Task(options=...)`."""
    return {"from_pixels": False, "frame_stack": 1}


def prepare(
    task: Task,
    options: Mapping[str, Any],
    pixels: str | CompiledEnv,
    plain: str | CompiledEnv | None = None,
) -> Prepared:
    """The environment that the option `from_pixels` selects, for `envpool_prepare`.

    Args:
        task: A task with these options.
        options: The user's options, or the family's replacement.
        pixels: The environment whose observations are images.
        plain: The environment without images; None: `task.env`.

    Raises:
        ConfigError: If frame_stack needs images and from_pixels is False.
    """
    known = {**task.options, **task.defaults, **options}
    stack = known["frame_stack"]
    if not known["from_pixels"]:
        if stack != 1:
            raise ConfigError(
                f"make({task.id!r}, frame_stack={stack!r})",
                "a number of images for observations that are none",
                "frame_stack with from_pixels=True",
                "Pass from_pixels=True too, or leave frame_stack out",
            )
        return Prepared(task.env if plain is None else plain, options)
    # Without a size the environment's own is used, which is small: images are for networks.
    sizes = ("render_width", "render_height")
    given = {key: value for key, value in options.items() if key not in sizes or value}
    return Prepared(pixels, given)
