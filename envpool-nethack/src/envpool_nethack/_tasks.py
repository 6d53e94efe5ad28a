# SPDX-License-Identifier: Apache-2.0
"""The nine ids of nle, with its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from envpool import Keys, Task

__all__ = ["CONFIG_DOCS", "ENV", "FIXED", "FULL", "KEYS", "MOVES", "OPTIONS", "ROWS", "tasks"]

ENV = "envpool_nethack._nethack:Nethack"
FIXED = ["data_path", "tiles_path", "levels_path", "levels_hash", "draws_text"]
FIXED += ["tries_options"]
MINIHACK_ONLY = ["reward_win", "reward_lose", "reward_shaping_coefficient", "events"]
MINIHACK_ONLY += ["num_levels", "include_alignment_blstats"]
PENALTIES = ["penalty_mode", "penalty_step", "penalty_time"]

MOVES = b"kljhunby"
_LONG_MOVES = b"KLJHUNBY"
TASK = bytes([13]) + MOVES + _LONG_MOVES + b"<>." + bytes([4]) + b"es"
"""The keys of tasks: Enter, moves, stairs, wait, kick, eat, search."""
FULL = (
    MOVES
    + _LONG_MOVES
    + b"<>.\r\xe1a\x18CZ\xe3c\xe4dDeE\xe5\x1bFf\xe6iI\xe9\xea\x04:\xec\xedmM\xefop,\xf0PqQrR"
    + b'\xd2\xf2gGs[=(^)!\xf3xTAt\xd4\xf4X\xf5vWw\xf7z+"$ '
)
"""Commands of the game, without commands of the interface."""
KEYBOARD = (
    MOVES
    + _LONG_MOVES
    + b"<>.\r#\xbf\xe1\xc1a\x18@CZ\xe3c\xc3\xe4dDeE\xe5\x1bFf\xe6;ViI\xe9\xea\x04\\`:\xec\xedmM"
    + b'\xefoO\x0fp,\xf0Pq\xf1Qr\x12R\xd2\xf2gGSs*"[$=+(^)!\xf3xTA\x14t\xd4_\xf4X\xf5\xf6vW&/w\xf7z'
    + b"+- '\"0123456789$"
)
"""All keys; +, " and $ have two places, as in nle."""

KEYS = ["glyphs", "chars", "colors", "specials", "blstats", "message", "inv_glyphs", "inv_strs"]
KEYS += ["inv_letters", "inv_oclasses", "screen_descriptions", "tty_chars", "tty_colors"]
KEYS += ["tty_cursor"]
OPTIONS = ["autopickup", "color", "disclose:+i +a +v +g +c +o", "mention_walls", "nobones"]
OPTIONS += ["nocmdassist", "nolegacy", "nosparkle", "pickup_burden:unencumbered"]
OPTIONS += ["pickup_types:$?!/", "runmode:teleport", "showexp", "showscore", "time"]


class Row(NamedTuple):
    """One id.

    Attributes:
        name: The part of the id after NetHack.
        task: The environment's name of the rules.
        description: One sentence for people.
        options: Options that differ from the other tasks'.
        game_options: The option "options".
        fixed: Options that the task ignores.
    """

    name: str
    task: str
    description: str
    options: Mapping[str, Any] = {}
    game_options: Sequence[str] = tuple(OPTIONS)
    fixed: Sequence[str] = ("no_progress_timeout",)


_CHALLENGE = {
    "character": "@",
    "actions": list(KEYBOARD),
    "observation_keys": [*(key for key in KEYS if key != "screen_descriptions"), "misc"],
    "allow_all_yn_questions": True,
    "allow_all_modes": True,
    "penalty_step": -0.0,
    "max_episode_steps": 1_000_000,
}
_GOLD = [option if "pickup_types" not in option else "pickup_types:$" for option in OPTIONS]
ROWS = (
    Row(
        *("", "base", "Play NetHack with all its commands, for points.", {"actions": list(FULL)}),
        fixed=(*PENALTIES, "no_progress_timeout"),
    ),
    Row("Score", "score", "Play NetHack with 23 keys, for points."),
    Row("Staircase", "staircase", "Get to stairs that lead down."),
    Row("StaircasePet", "staircase_pet", "Get to stairs that lead down, with the pet beside you."),
    Row("Oracle", "oracle", "Find the Oracle, some levels below, and stand beside her."),
    Row("Gold", "gold", "Collect gold.", game_options=_GOLD),
    Row("Eat", "eat", "Find food and eat it."),
    Row("Scout", "scout", "See as much of the dungeon as you can."),
    Row(
        *(
            "Challenge",
            "challenge",
            "Play NetHack with the whole keyboard, as anybody.",
            _CHALLENGE,
        ),
        fixed=("wizard", "wizkit"),
    ),
)

CONFIG_DOCS = {
    "task": "which rules: what is paid, and when an episode is over",
    "character": "role, race, alignment and gender, as 'mon-hum-neu-mal'; '@': any",
    "observation_keys": "arrays of an observation",
    "actions": "codes of the keys that actions press, in order",
    "options": "NetHack's options",
    "wizard": "the game's mode for testing",
    "allow_all_yn_questions": "all questions are the agent's; False: most are answered by Esc",
    "allow_all_modes": "menus and texts are the agent's; False: they are answered by space and Esc",
    "spawn_monsters": "monsters appear as time goes by",
    "fix_moon_phase": "moon and hour depend on the seed; for clock='real'",
    "penalty_mode": "how steps that take no time are paid: 'constant', 'exp', 'square', 'linear' "
    "or 'always'",
    "penalty_step": "paid for such a step",
    "penalty_time": "paid for each turn that passes; of Sokoban and Boxoban, for each step",
    "no_progress_timeout": "of NetHackChallenge: counts without a turn after which it is cut; "
    "a step counts twice, as in nle",
    "last_frame": "of an episode whose game goes on: 'game' what is seen then, 'package' nle's "
    "blank screen after quitting",
    "clock": "what time it is in the game, in seconds since 1970; 'real' or 0: the machine's clock",
    "lgen": "seed of the levels, the same in each game; -1: they depend on the game's seed",
    "reward_win": "paid when the task is done, if it has no events",
    "reward_lose": "paid at a death and at the limit, if it has no events",
    "reward_shaping_coefficient": "paid for a pit that is filled, or a boulder in its place",
    "events": "what is paid and ends an episode beside stairs; the family's page has how "
    "they are written",
    "level_seeds": "seeds of games, one of which is drawn for each; empty: any seed",
    "obs_crop_h": "rows of `chars_crop` and the like, with the agent in the middle",
    "obs_crop_w": "columns of them",
    "obs_crop_pad": "what they show outside the map",
    "include_alignment_blstats": "`blstats` has the alignment as its last number",
    "savedir": "folder for recordings, which nle's reader plays",
    "save_ttyrec_every": "every how many episodes of an environment are recorded; 0: none",
    "wizkit": "things to begin with; for wizard=True",
    "loader": "'own': code in common, a crash ends one game; 'dlopen': copies by the system; "
    "'auto': the own one where it can",
    "library_path": "libnethack.so, or its folder; empty: looked for",
}


_NAMED = {107: "up", 106: "down", 104: "left", 108: "right", 13: "enter", 32: "space"}
"""Keys of a terminal without a letter, and the letters that do the same."""


def keys_of(actions: Sequence[int]) -> Keys:
    """A person's keys: those of the game itself."""
    found: dict[str, int] = {}
    for place, code in enumerate(actions):
        letter = chr(code) if code < 128 else f"alt+{chr(code - 128)}"
        for key in (letter, _NAMED.get(code, "")):
            if key:
                found.setdefault(key, place)
    return Keys(found, {"render_mode": "ansi"})


def tasks() -> Iterator[Task]:
    """All nine tasks."""
    for row in ROWS:
        defaults: dict[str, Any] = {
            "max_episode_steps": 5000,
            "observation_keys": KEYS,
            "actions": list(TASK),
        }
        options = {**defaults, **row.options}
        fixed = [*FIXED, *MINIHACK_ONLY, *row.fixed]
        docs = {key: text for key, text in CONFIG_DOCS.items() if key not in fixed}
        task = Task(
            f"NetHack{row.name}-v0",
            ENV,
            description=row.description,
            config_docs=docs,
            fixed=fixed,
            render_fps=10,
            keys=keys_of(list(options["actions"])),
            task=row.task,
            **options,
        )
        # Task has a parameter of this name with another meaning.
        task.defaults["options"] = list(row.game_options)
        yield task
