# SPDX-License-Identifier: Apache-2.0
"""Foxes and hares: the tasks and the command that the wheel envpool-meadow adds to EnvPool."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Family, Task

_OPTIONS = {
    "num_foxes": "foxes, the players 0 .. num_foxes - 1",
    "num_hares": "hares, the players after them; max_num_players has to be as many as both",
    "num_stones": "round stones that nobody sees or walks through",
    "num_clovers": "clovers; one that is eaten grows again elsewhere",
    "width": "metres from the left hedge to the right one",
    "height": "metres from the lower hedge to the upper one",
    "num_rays": "rays of the lidar, all around; ray 0 goes ahead, the others follow to the left",
    "lidar_range": "metres that a ray reaches",
    "share": "part of a catch's reward that all foxes have alike; the rest is the catcher's",
    "show_lidar": "player whose rays are drawn in frames; -1: none",
}
_IMAGE = {"image_size": "pixels of each side of a player's image, which shows 8 m of the meadow"}


def _tasks() -> Iterator[Task]:
    for name, description, foxes, hares, defaults in (
        ("Tag", "Three foxes hunt three hares.", 3, 3, {}),
        ("Duel", "One fox, one hare, no stone to hide behind.", 1, 1, {"num_stones": 0}),
        ("Pack", "Four foxes hunt two hares and share all they catch.", 4, 2, {"share": 1.0}),
        ("Warren", "Two foxes among eight hares and many stones.", 2, 8, {"num_stones": 9}),
    ):
        yield Task(
            f"Meadow/{name}-v0",
            "envpool_meadow._meadow:Meadow",
            description=description,
            config_docs=_OPTIONS,
            aliases=("Meadow/Pursuit-v0",) if name == "Tag" else (),
            render_fps=10,
            max_episode_steps=300,
            max_num_players=foxes + hares,
            num_foxes=foxes,
            num_hares=hares,
            **defaults,
        )
    yield Task(
        "Meadow/TagPixels-v0",
        "envpool_meadow._meadow:PixelMeadow",
        description="Tag, in which every player also has an image of what is around it.",
        config_docs={**_OPTIONS, **_IMAGE},
        render_fps=10,
        max_episode_steps=300,
        max_num_players=6,
    )


# `envpool meadow-match` is the command.
FAMILY = Family(_tasks, commands="envpool_meadow._match:add_commands")
