# SPDX-License-Identifier: Apache-2.0
"""Scenarios: the package's 35, and users' own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError
from envpool_gfootball._prepare import data_folder
from envpool_gfootball._scenario import Builder, numbers_of
from envpool_gfootball._tasks import ROWS
from envpool_gfootball.scenarios import Team, e_PlayerRole_CF, e_PlayerRole_GK

_CLOSE = "gfootball/academy_empty_goal_close-v1"


def _close(builder: Builder) -> None:
    """A player before an empty goal, in odd episodes at the other side."""
    rules = builder.config()
    rules.game_duration = 60
    rules.offsides = False
    rules.end_episode_on_score = True
    builder.SetBallPosition(0.7, 0.0)
    builder.SetTeam(Team.e_Left)
    builder.AddPlayer(-1.0, 0.0, e_PlayerRole_GK)
    builder.AddPlayer(0.68, 0.1 if builder.EpisodeNumber() % 2 else -0.1, e_PlayerRole_CF)
    builder.SetTeam(Team.e_Right)
    builder.AddPlayer(-1.0, 0.3, e_PlayerRole_GK)


def test_the_packages_scenarios_are_ids_of_the_same_length() -> None:
    folder = data_folder() / "scenarios"
    assert sorted(path.stem for path in folder.glob("*.py")) == sorted(row.name for row in ROWS)
    for row in ROWS:
        assert numbers_of(row.name, folder, "test").game_duration == row.duration, row.name


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_file_of_the_package_plays_as_its_id(row: Any) -> None:
    """As a user's own file, by its path, in another task."""
    path = data_folder() / "scenarios" / f"{row.name}.py"
    agents = {"number_of_left_players_agent_controls": row.agents}
    options = {"seed": 5, "observation": "raw", **agents}
    with (
        envpool.make(row.id, **options) as pool,
        envpool.make(_CLOSE, scenario=path, **options) as own,
    ):
        assert own.config["game_duration"] == row.duration
        for _ in range(2):  # an even episode and an odd one
            expected, found = pool.reset()[0], own.reset()[0]
            for key, value in expected.items():
                np.testing.assert_array_equal(value, found[key], key)


def test_a_function() -> None:
    with envpool.make(_CLOSE, scenario=_close, observation="raw", seed=1) as pool:
        assert pool.config["game_duration"] == 60
        assert pool.config["max_episode_steps"] == 61
        sides = []
        for _ in range(2):
            obs, info = pool.reset()
            assert obs["left_team"].shape == (1, 2, 2)
            assert obs["right_team"].shape == (1, 1, 2)
            sides.append((info["episode_number"][0] % 2, np.sign(obs["left_team"][0, 1, 1])))
        assert sorted(sides) == [(0, -1.0), (1, 1.0)]


def test_a_file_that_imports_from_the_package(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from gfootball.scenarios import *\n"
        "def build_scenario(builder):\n"
        "  builder.config().game_duration = 7\n"
        "  builder.SetTeam(Team.e_Left)\n"
        "  builder.AddPlayer(-1.0, 0.0, e_PlayerRole_GK)\n"
        "  builder.AddPlayer(0.0, 0.0, e_PlayerRole_CM)\n"
    )
    with envpool.make(_CLOSE, scenario=path) as pool:
        pool.reset()
        ends = [pool.step(np.array([0]))[2:4] for _ in range(8)]
        assert [(bool(t[0]), bool(c[0])) for t, c in ends] == [(False, False)] * 7 + [(False, True)]


def _adding(count: int) -> Callable[[Builder], None]:
    def build(builder: Builder) -> None:
        for _ in range(count):
            builder.AddPlayer(0.0, 0.0, 0)

    return build


def _setting(name: str, value: object) -> Callable[[Builder], None]:
    return lambda builder: setattr(builder.config(), name, value)


_REFUSED: list[tuple[Any, str]] = [
    ("academy_empty_gaol", "academy_empty_goal"),
    ("/no/such/file.py", "ends with .py"),
    ("", "a function"),
    (7, "a function"),
    (_adding(12), "1 .. 11"),
    (lambda b: b.AddPlayer(0.0, 0.0, 1), "keeper"),
    (lambda b: b.AddPlayer(3.0, 0.0, 0), "x = 3"),
    (lambda b: b.AddPlayer(0.0, float("nan"), 0), "y = nan"),
    (lambda b: b.AddPlayer(0.0, 0.0, 10), "role = 10"),
    (lambda b: b.AddPlayer(0.0, 0.0, 0, lazy=2), "lazy = 2"),
    (lambda b: b.SetBallPosition(0, 9), "y = 9"),
    (lambda b: b.SetTeam("left"), "Team.e_Left"),
    (lambda b: 1 / 0, "ZeroDivisionError"),
    (_setting("game_duraton", 5), "game_duration"),
    (_setting("game_duration", -1), "whole number of 0"),
    (_setting("left_team_difficulty", 2), "0 .. 1"),
    (_setting("offsides", "yes"), "True or False"),
]


@pytest.mark.parametrize(("scenario", "words"), _REFUSED, ids=[words for _, words in _REFUSED])
def test_scenarios_that_are_refused(scenario: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        envpool.make(_CLOSE, scenario=scenario)
    assert words in str(caught.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    for text, words in {"x = 1": "build_scenario", "import": "SyntaxError"}.items():
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            envpool.make(_CLOSE, scenario=path)
