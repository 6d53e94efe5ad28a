# SPDX-License-Identifier: Apache-2.0
"""The tasks of this wheel: one per game, and one for any other ROM."""

from __future__ import annotations

from collections.abc import Iterator

from envpool import Keys, Task

from ._descriptions import DESCRIPTIONS
from ._games import GAMES, OWN_ROM, OWN_ROM_ID, task_id, title
from ._presets import OPTION_DOCS, ROM_OPTION_DOCS

__all__ = ["tasks"]

_FRAMES_PER_SECOND = 60
_FRAME_SKIP = 4
# ALE's numbers of a joystick's actions.
_KEYS = Keys(
    {"": 0, "space": 1, "up": 2, "right": 3, "left": 4, "down": 5}, {"full_action_space": True}
)


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for game in GAMES:
        yield Task(
            task_id(game),
            "envpool_atari._atari:Atari",
            description=f"{title(game)}: {DESCRIPTIONS[game]}.",
            config_docs=OPTION_DOCS,
            render_fps=_FRAMES_PER_SECOND / _FRAME_SKIP,
            keys=_KEYS,
            max_episode_steps=27_000,
            task=game,
        )
    yield Task(
        OWN_ROM_ID,
        "envpool_atari._atari:AtariRom",
        description="Any other ROM, with the score and the lives that you name.",
        config_docs=ROM_OPTION_DOCS,
        render_fps=_FRAMES_PER_SECOND / _FRAME_SKIP,
        keys=_KEYS,
        max_episode_steps=27_000,
        task=OWN_ROM,
    )
