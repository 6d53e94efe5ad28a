# SPDX-License-Identifier: Apache-2.0
"""The table of games, row by row, against ale-py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ale_rules
import pytest
from ale_py import ALEInterface
from on_arm import UNSIGNED_GAMES, unsigned_in_ale
from probes import load
from rule_duel import ROMS, duel
from sampling import sampled

probe = load("games/games_probe.cc")
GAMES: dict[str, dict[str, Any]] = {game["name"]: game for game in probe.all_games()}
FRAMES = 2000  # of each game
BYTES = (0x00, 0x01, 0x10, 0x99)  # that each byte of memory becomes
MOMENT = 60  # frames of a game before that
# Its rules look at the cartridge's memory, which ale-py does not show here.
JUDGED = sorted(GAMES.keys() - {"klax"})


def marked(names: Iterable[str], unsigned: Iterable[str]) -> list[Any]:
    return [pytest.param(n, marks=unsigned_in_ale) if n in unsigned else n for n in names]


def test_there_are_104() -> None:
    assert len(GAMES) == 104


@pytest.mark.parametrize("name", GAMES)
def test_lists(name: str) -> None:
    game = GAMES[name]
    ale = ALEInterface()
    ale.loadROM(ROMS / f"{name}.bin")
    assert game["modes"] == ale.getAvailableModes()
    assert game["difficulties"] == ale.getAvailableDifficulties()
    assert game["actions"] == [action.value for action in ale.getMinimalActionSet()]
    assert game["legal"] == [action.value for action in ale.getLegalActionSet()]
    assert (game["height"], 160) == ale.getScreenDims()
    # ale-py has these two only for the games that change them.
    assert game["paddle_max"] == max(ale.getInt("paddle_max"), 790196)


@pytest.mark.parametrize("name", marked(sampled(JUDGED, 32, salt="rules"), UNSIGNED_GAMES))
def test_rules(name: str) -> None:
    result = duel(GAMES[name], probe.Rules(name), FRAMES)
    assert not result.difference
    assert result.frames > FRAMES / 8  # in three modes of four, Demon Attack is over at once


@pytest.mark.parametrize(
    "name",
    marked(sampled(sorted(GAMES.keys() - ale_rules.HIDDEN), 12, salt="every byte"), ["et"]),
)
def test_every_byte_of_a_memory_that_stands_still(name: str) -> None:
    found = list(ale_rules.moments(name, BYTES, [MOMENT]))
    size = ale_rules.Frozen(name).size
    assert sum(len(moment.answers) for moment in found) == size * len(BYTES)
    assert not ale_rules.differences(name, found)


def test_rows_are_read_off_ale() -> None:
    found = list(ale_rules.moments("breakout", [*BYTES, 5], [MOMENT]))
    assert ale_rules.row(found) == [
        "reward by CC: +100 times the low digit",
        "reward by CD: +1 times BCD",
        "lives by B9: +1 times the number",
        "end by B9: 00: +1, others: +0",
    ]


@pytest.mark.parametrize("spoil", ["spoil_score", "spoil_lives", "spoil_over"])
@pytest.mark.parametrize("name", ["asteroids", "space_invaders", "frostbite", "yars_revenge"])
def test_a_wrong_row_is_noticed(name: str, spoil: str) -> None:
    rules = probe.Rules(name)
    getattr(rules, spoil)()
    assert duel(GAMES[name], rules, FRAMES).difference
