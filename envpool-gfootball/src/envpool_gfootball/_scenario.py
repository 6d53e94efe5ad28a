# SPDX-License-Identifier: Apache-2.0
"""From a scenario's program to numbers.

A scenario is a function that is called with a builder, as the package's `build_scenario`, or a file
with a function of this name. It is called twice: for an even and for an odd episode number, since
teams may change sides. The result is checked here, before the engine gets it.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from envpool.errors import ConfigError, shorten, suggest

from .scenarios import Team

__all__ = ["Builder", "Numbers", "numbers_of"]

MOST_PLAYERS = 11
ROLES = 10
_RULES: dict[str, tuple[type, float, float]] = {
    "game_duration": (int, 0, 1_000_000_000),
    "second_half": (int, 0, 999_999_999),
    "left_team_difficulty": (float, 0, 1),
    "right_team_difficulty": (float, 0, 1),
    "offsides": (bool, 0, 1),
    "end_episode_on_score": (bool, 0, 1),
    "end_episode_on_out_of_play": (bool, 0, 1),
    "end_episode_on_possession_change": (bool, 0, 1),
    "deterministic": (bool, 0, 1),
    "control_all_players": (bool, 0, 1),
}
_DEFAULTS: dict[str, Any] = {
    "game_duration": 3000,
    "second_half": 999_999_999,
    "left_team_difficulty": 1.0,
    "right_team_difficulty": 0.6,
    "offsides": True,
    "end_episode_on_score": False,
    "end_episode_on_out_of_play": False,
    "end_episode_on_possession_change": False,
    "deterministic": False,
    "control_all_players": False,
}


class Rules:
    """The result of `builder.config()`: attributes to set."""

    def __init__(self, call: str) -> None:
        """Sets the engine's defaults."""
        self.__dict__.update(_DEFAULTS, _call=call)

    def __setattr__(self, name: str, value: object) -> None:
        """Checks the type and the range.

        Raises:
            ConfigError: If there is no such rule, or the value is not allowed.
        """
        if name not in _RULES:
            raise ConfigError(
                self.__dict__["_call"],
                f"the rule {name!r}",
                ", ".join(_RULES),
                suggest(name, list(_RULES), "Remove it from the scenario"),
            )
        kind, low, high = _RULES[name]
        self.__dict__[name] = _number(self.__dict__["_call"], name, value, kind, low, high)


class Builder:
    """The argument of a scenario; see the package's documentation of scenarios."""

    def __init__(self, episode: int, call: str) -> None:
        """Begins with an empty scenario."""
        self._call = call
        self._episode = episode
        self._rules = Rules(call)
        self._team = 0
        self.ball = (0.0, 0.0)
        self.teams: tuple[list[list[float]], list[list[float]]] = ([], [])

    def config(self) -> Rules:
        """The rules, as attributes."""
        return self._rules

    def EpisodeNumber(self) -> int:  # noqa: N802 - as in the package
        """The number of the episode for which the scenario is built."""
        return self._episode

    def SetTeam(self, team: Team) -> None:  # noqa: N802
        """Sets the side of the players that are added next.

        Raises:
            ConfigError: If it is not a side.
        """
        side = getattr(team, "value", team)
        if side not in (0, 1):
            raise ConfigError(
                self._call,
                f"SetTeam({shorten(team)})",
                "Team.e_Left or Team.e_Right",
                "Pass one of them",
            )
        self._team = int(side)

    def SetBallPosition(self, x: float, y: float) -> None:  # noqa: N802
        """Sets the ball's place: x from -1 to 1, y from -0.42 to 0.42."""
        self.ball = self._place("SetBallPosition", x, y)

    def AddPlayer(  # noqa: N802
        self, x: float, y: float, role: int, lazy: bool = False, controllable: bool = True
    ) -> None:
        """Adds a player. Its place is seen by its own team, whose goal is at x = -1.

        Raises:
            ConfigError: If an argument is not allowed.
        """
        x, y = self._place("AddPlayer", x, y)
        role = _number(self._call, "role", role, int, 0, ROLES - 1)
        flags = [
            _number(self._call, name, value, bool, 0, 1)
            for name, value in {"lazy": lazy, "controllable": controllable}.items()
        ]
        self.teams[self._team].append([x, y, float(role), *map(float, flags)])

    def _place(self, name: str, x: float, y: float) -> tuple[float, float]:
        # Up to two metres beyond the lines, the end of the engine's grass.
        x = _number(self._call, f"{name}: x", x, float, -1.1, 1.1)
        y = _number(self._call, f"{name}: y", y, float, -0.48, 0.48)
        return x, y


class Numbers(NamedTuple):
    """A scenario in C++'s form (cpp/scenario.h).

    Attributes:
        even: The numbers of even episodes.
        odd: The numbers of odd episodes.
        game_duration: In steps.
    """

    even: list[float]
    odd: list[float]
    game_duration: int


def numbers_of(scenario: object, folder: Path, call: str) -> Numbers:
    """Runs a scenario.

    Args:
        scenario: A function, a file, or the name of one of the package's scenarios.
        folder: The folder of the package's scenarios.
        call: The call in the user's words.

    Raises:
        ConfigError: If it is not found, or its result cannot be played.
    """
    build = scenario if callable(scenario) else _function_in(_file_of(scenario, folder, call), call)
    built = [_built(build, episode, call) for episode in (2, 1)]
    even, odd = (numbers for numbers, _ in built)
    return Numbers(even, odd, built[0][1])


def _file_of(scenario: object, folder: Path, call: str) -> Path:
    if not isinstance(scenario, (str, os.PathLike)) or not os.fspath(scenario):
        raise ConfigError(
            call,
            f"{shorten(scenario)} of type {type(scenario).__name__}",
            "a function, the path of a file, or the name of a scenario",
            "Pass one of these",
        )
    name = os.fspath(scenario)
    names = sorted(path.stem for path in folder.glob("*.py"))
    if name in names:
        return folder / f"{name}.py"
    path = Path(str(name))
    if path.suffix == ".py" and path.is_file():
        return path
    raise ConfigError(
        call,
        f"no scenario and no file {shorten(name)}",
        f"a file that ends with .py, or one of {', '.join(names)}",
        suggest(name, names, "Pass the path of a file"),
    )


def _function_in(path: Path, call: str) -> Callable[[Any], object]:
    names: dict[str, Any] = {
        "__name__": f"envpool_gfootball.scenarios.{path.stem}",
        "__package__": "envpool_gfootball.scenarios",
        "__file__": str(path),
    }
    with _as_sibling():
        try:
            exec(compile(path.read_bytes(), str(path), "exec"), names)
        except Exception as error:
            raise _failed(error, call, f"{path} cannot be run") from error
    build: Callable[[Any], object] | None = names.get("build_scenario")
    if not callable(build):
        raise ConfigError(
            call,
            f"{path} without a function build_scenario",
            "a file with one, which takes a builder",
            "Define it",
        )
    return build


class _as_sibling:  # noqa: N801 - a context
    """A context in which `gfootball.scenarios` is this package's module, without gfootball."""

    def __enter__(self) -> None:
        from . import scenarios

        self._added = []
        for name in ("gfootball", "gfootball.scenarios"):
            if name not in sys.modules and not self._installed():
                sys.modules[name] = scenarios
                self._added.append(name)

    def __exit__(self, *error: object) -> None:
        for name in self._added:
            sys.modules.pop(name, None)

    @staticmethod
    def _installed() -> bool:
        from importlib.metadata import PackageNotFoundError, version

        try:
            version("gfootball")
        except PackageNotFoundError:
            return False
        return True


def _built(build: Callable[[Any], object], episode: int, call: str) -> tuple[list[float], int]:
    builder = Builder(episode, call)
    try:
        build(builder)
    except ConfigError:
        raise
    except Exception as error:
        raise _failed(error, call, f"it fails for episode {episode}") from error
    for team in builder.teams:
        if not team:  # as in the package: a keeper that does nothing
            team.append([-1.0, 0.42, 0.0, 1.0, 1.0])
        if len(team) > MOST_PLAYERS:
            raise ConfigError(
                call,
                f"{len(team)} players of a side",
                f"1 .. {MOST_PLAYERS}",
                "Add fewer players",
            )
        if team[0][2] != 0:
            raise ConfigError(
                call,
                "a side whose first player is no keeper",
                "the role e_PlayerRole_GK for the first player of each side",
                "Add the keeper first",
            )
    rules = builder.config().__dict__
    numbers = [*builder.ball]
    numbers += [float(rules[name]) for name in list(_RULES)[1:]]
    for team in builder.teams:
        numbers += [float(len(team)), *(value for player in team for value in player)]
    return numbers, rules["game_duration"]


def _failed(error: Exception, call: str, what: str) -> ConfigError:
    return ConfigError(
        call,
        f"{what}: {type(error).__name__}: {error}",
        "a scenario as gfootball has them",
        "Correct it; the exception before this one says where",
    )


def _number(call: str, name: str, value: Any, kind: type, low: float, high: float) -> Any:
    wanted = {bool: "True or False", int: "a whole number", float: "a number"}[kind]
    try:
        number = kind(value)
        usable = number == value and math.isfinite(number) and low <= number <= high
    except (TypeError, ValueError, OverflowError):
        usable = False
    if not usable:
        raise ConfigError(
            call,
            f"{name} = {shorten(value)}",
            wanted if kind is bool else f"{wanted} of {low:g} .. {high:g}",
            f"Correct {name} in the scenario",
        )
    return number
