# SPDX-License-Identifier: Apache-2.0
"""Draws the table of all Atari games: `{atari-games}`. Needs envpool-atari with its ROMs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import envpool
from _rows import table
from envpool_atari import _atari
from envpool_atari._games import ACTIONS, GAMES, HISTORY_GAMES, ranges, task_id, title
from envpool_sphinx import Generated

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COLUMNS = ("id", "game", "actions", "modes", "difficulties", "notes", "lines", "lives")


class AtariGames(Generated):
    """A row for each game."""

    def markdown(self) -> Iterator[str]:
        """The lines."""
        yield from table(COLUMNS, [_row(game) for game in GAMES], 6).splitlines()


def _row(game: str) -> list[str]:
    info = _atari.game_info(game)
    actions = [ACTIONS[number].lower() for number in info.actions]
    with envpool.make(task_id(game), obs_type="ram") as pool:
        lives = pool.reset()[1]["lives"][0]
    notes = {
        "paddle": info.paddles,
        "start": game in HISTORY_GAMES,
        f"legal: {len(info.legal)}": len(info.legal) < len(ACTIONS),
    }
    return [
        f"`{task_id(game)}`",
        title(game).replace("*", "\\*"),
        "all" if len(actions) == len(ACTIONS) else ", ".join(actions),
        ranges(info.modes),
        ranges(info.difficulties),
        ", ".join(note for note, holds in notes.items() if holds),
        str(info.height),
        str(lives),
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the directive."""
    app.add_directive("atari-games", AtariGames)
    return {"parallel_read_safe": True}
