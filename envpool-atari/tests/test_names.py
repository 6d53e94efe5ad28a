# SPDX-License-Identifier: Apache-2.0
"""The texts about a game: its title, the names of its actions, its modes; docs, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ale_py
import envpool
import pytest
from envpool.errors import ConfigError
from envpool_atari import action_meanings, difficulties, modes
from envpool_atari._descriptions import DESCRIPTIONS
from envpool_atari._games import ACTIONS, GAMES, ranges, task_id, title

_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", ["berzerk", "lost_luggage", "ms_pacman", "time_pilot"])
def test_actions_and_modes_are_ale_s(game: str) -> None:
    """A few games: test_rules.py has the numbers of all."""
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.loadROM(ale_py.roms.get_rom_path(game))
    spec = envpool.make_spec(task_id(game))
    full = envpool.make_spec(task_id(game), full_action_space=True)
    assert action_meanings(spec) == tuple(action.name for action in ale.getMinimalActionSet())
    assert action_meanings(full) == tuple(action.name for action in ale.getLegalActionSet())
    assert modes(spec) == tuple(ale.getAvailableModes())
    assert difficulties(spec) == tuple(ale.getAvailableDifficulties())


def test_a_game_is_enough() -> None:
    assert action_meanings("breakout") == ("NOOP", "FIRE", "RIGHT", "LEFT")
    assert modes("pong") == (0, 1)
    assert difficulties("pong") == (0, 1, 2, 3)
    with pytest.raises(ConfigError, match=r"got 'pongg'.*Did you mean 'pong'"):
        modes("pongg")


@pytest.mark.parametrize("full", [False, True])
def test_every_action_is_named(full: bool) -> None:
    for game in GAMES:
        spec = envpool.make_spec(task_id(game), full_action_space=full)
        assert len(action_meanings(spec)) == spec.action_space.n


def test_a_joystick_has_three_numbers() -> None:
    spec = envpool.make_spec("Pong-v5", continuous=True)
    assert action_meanings(spec) == ("radius", "angle", "fire")
    assert spec.action_space.shape == (3,)


def test_the_game_of_the_option_counts() -> None:
    spec = envpool.make_spec("Pong-v5", task="breakout")
    assert action_meanings(spec) == ("NOOP", "FIRE", "RIGHT", "LEFT")


def test_info() -> None:
    command = [sys.executable, "-c", "from envpool.cli import main; main(['info', 'Breakout-v5'])"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    text = "Breakout: keep the ball in play with a paddle and knock out the bricks of a wall."
    assert text in lines
    start = lines.index("actions Discrete(4)")
    assert lines[start + 1] == "action names NOOP, FIRE, RIGHT, LEFT"
    assert "difficulties 0, 1" in lines[start + 2 : start + 5]


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        ("pong", "Pong"),
        ("name_this_game", "Name This Game"),
        ("ms_pacman", "Ms. Pac-Man"),
        ("et", "E.T. the Extra-Terrestrial"),
        ("up_n_down", "Up 'n Down"),
    ],
)
def test_titles(game: str, expected: str) -> None:
    assert title(game) == expected


def test_titles_are_the_ids_to_a_computer() -> None:
    """With letters and digits alone, but for what is added or written otherwise."""
    other = {"Atlantis II", "E.T. the Extra-Terrestrial", "James Bond 007", "Kool-Aid Man"}
    other |= {"Montezuma's Revenge", "Pitfall II: Lost Caverns", "Swordquest: EarthWorld"}
    other |= {"Robot Tank", "Tron: Deadly Discs", "3-D Tic-Tac-Toe"}

    def plain(text: str) -> str:
        return "".join(filter(str.isalnum, text)).casefold()

    assert {title(game) for game in GAMES if plain(title(game)) != plain(game)} == other
    assert len({title(game) for game in GAMES}) == len(GAMES)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([0], "0"),
        ([0, 1], "0, 1"),
        ([0, 1, 2], "0 .. 2"),
        ([1, 2, 3, 9, 20, 21, 22], "1 .. 3, 9, 20 .. 22"),
        (range(0, 24, 2), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22"),
        (range(0, 26, 2), "0, 2, ..., 24"),
    ],
)
def test_ranges(numbers: range, expected: str) -> None:
    assert ranges(numbers) == expected


def test_names_of_actions_are_ale_s() -> None:
    assert [action.name for action in ale_py.Action][:18] == list(ACTIONS)


def test_every_game_has_a_description_of_its_own() -> None:
    assert list(DESCRIPTIONS) == list(GAMES)
    assert len({*DESCRIPTIONS.values()}) == len(GAMES)
    for game, text in DESCRIPTIONS.items():
        assert 10 < len(text) < 95 and not text.endswith("."), game
