# SPDX-License-Identifier: Apache-2.0
"""Writes the table of all Atari games into docs/atari_games.md.

    python envpool-atari/tests/games_page.py [--check]

With `--check` the page stays as it is, and the exit status is 1 if it should have another table.
Needs envpool-atari with cartridges.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # _blocks

import envpool
from _blocks import fill, table
from envpool_atari import _atari
from envpool_atari._games import ACTIONS, GAMES, HISTORY_GAMES, ranges, task_id, title

PAGE = Path(__file__).resolve().parents[2] / "docs" / "atari_games.md"
COLUMNS = ("id", "game", "actions", "modes", "difficulties", "notes", "lines", "lives")


def row(game: str) -> list[str]:
    """The table's cells of a game."""
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


def main() -> int:
    """Fills the page, or looks at it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="fail if the page is out of date")
    check: bool = parser.parse_args().check
    text = table(COLUMNS, [row(game) for game in GAMES], texts=6)
    stale = False

    def text_of(name: str, shown: str) -> str | None:
        nonlocal stale
        stale = shown != f"{text}\n"
        return None if check else text

    fill(PAGE, text_of)
    if check and stale:
        print(f"{PAGE.name} is out of date: run `python envpool-atari/tests/games_page.py`")
        return 1
    print(f"{PAGE.name}: {len(GAMES)} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
