# SPDX-License-Identifier: Apache-2.0
"""The games, by the names of their cartridges' files: pong.bin, ms_pacman.bin.

The compiled module has each game's score, lives and actions.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _atari

_NAMES = """
    adventure air_raid alien amidar assault asterix asteroids atlantis atlantis2 backgammon
    bank_heist basic_math battle_zone beam_rider berzerk blackjack bowling boxing breakout
    carnival casino centipede chopper_command crazy_climber crossbow darkchambers defender
    demon_attack donkey_kong double_dunk earthworld elevator_action enduro entombed et
    fishing_derby flag_capture freeway frogger frostbite galaxian gopher gravitar hangman
    haunted_house hero human_cannonball ice_hockey jamesbond journey_escape kaboom kangaroo
    keystone_kapers king_kong klax koolaid krull kung_fu_master laser_gates lost_luggage
    mario_bros miniature_golf montezuma_revenge mr_do ms_pacman name_this_game othello pacman
    phoenix pitfall pitfall2 pong pooyan private_eye qbert riverraid road_runner robotank
    seaquest sir_lancelot skiing solaris space_invaders space_war star_gunner superman
    surround tennis tetris tic_tac_toe_3d time_pilot trondead turmoil tutankham up_n_down
    venture video_checkers video_chess video_cube video_pinball wizard_of_wor word_zapper
    yars_revenge zaxxon
"""

GAMES: tuple[str, ...] = tuple(_NAMES.split())
"""All games, in alphabetical order."""

OWN_ROM, OWN_ROM_ID = "rom", "AtariRom-v5"
"""The task of a ROM that is not in the table, and the value of its option `task` until the ROM is
read.
"""

_HISTORY = """
    adventure assault backgammon beam_rider berzerk chopper_command crossbow demon_attack
    elevator_action fishing_derby freeway frostbite hangman haunted_house hero ice_hockey
    kaboom krull kung_fu_master miniature_golf pitfall2 pooyan private_eye seaquest
    sir_lancelot solaris space_war surround tennis time_pilot yars_revenge
"""

HISTORY_GAMES: tuple[str, ...] = tuple(_HISTORY.split())
"""Games in which a new game differs from the first: memory survives a reset of the console."""

ACTIONS = (
    "NOOP",
    "FIRE",
    "UP",
    "RIGHT",
    "LEFT",
    "DOWN",
    "UPRIGHT",
    "UPLEFT",
    "DOWNRIGHT",
    "DOWNLEFT",
    "UPFIRE",
    "RIGHTFIRE",
    "LEFTFIRE",
    "DOWNFIRE",
    "UPRIGHTFIRE",
    "UPLEFTFIRE",
    "DOWNRIGHTFIRE",
    "DOWNLEFTFIRE",
)
"""ALE's names of the actions, by its numbers."""

_TITLES = {
    "atlantis2": "Atlantis II",
    "battle_zone": "Battlezone",
    "beam_rider": "Beamrider",
    "darkchambers": "Dark Chambers",
    "earthworld": "Swordquest: EarthWorld",
    "et": "E.T. the Extra-Terrestrial",
    "hero": "H.E.R.O.",
    "jamesbond": "James Bond 007",
    "kaboom": "Kaboom!",
    "koolaid": "Kool-Aid Man",
    "kung_fu_master": "Kung-Fu Master",
    "mario_bros": "Mario Bros.",
    "montezuma_revenge": "Montezuma's Revenge",
    "mr_do": "Mr. Do!",
    "ms_pacman": "Ms. Pac-Man",
    "pacman": "Pac-Man",
    "pitfall": "Pitfall!",
    "pitfall2": "Pitfall II: Lost Caverns",
    "qbert": "Q*bert",
    "riverraid": "River Raid",
    "robotank": "Robot Tank",
    "star_gunner": "Stargunner",
    "tic_tac_toe_3d": "3-D Tic-Tac-Toe",
    "trondead": "Tron: Deadly Discs",
    "up_n_down": "Up 'n Down",
    "wizard_of_wor": "Wizard of Wor",
    "yars_revenge": "Yars' Revenge",
}


def task_id(game: str) -> str:
    """The id of a game's task: "MsPacman-v5" for "ms_pacman"."""
    return "".join(word.capitalize() for word in game.split("_")) + "-v5"


def title(game: str) -> str:
    """The name for people: "Ms. Pac-Man" for "ms_pacman"."""
    return _TITLES.get(game) or " ".join(word.capitalize() for word in game.split("_"))


def meanings(row: _atari.GameInfo, full: bool, continuous: bool) -> tuple[str, ...]:
    """The meaning of each action, as "RIGHTFIRE"; for a joystick, of its three numbers."""
    if continuous:
        return "radius", "angle", "fire"
    return tuple(ACTIONS[number] for number in (row.legal if full else row.actions))


def ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in short: "0 .. 3, 8" for 0, 1, 2, 3, 8; the middle of many is left out."""
    words: list[str] = []
    for _, same in itertools.groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in same]
        words += [f"{run[0]} .. {run[-1]}"] if len(run) > 2 else map(str, run)
    return ", ".join(words if len(words) <= 12 else [*words[:2], "...", words[-1]])
