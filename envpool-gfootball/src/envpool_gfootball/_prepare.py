# SPDX-License-Identifier: Apache-2.0
"""From a task and its options to a pool: runs the scenario, and sets the length of episodes."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool import Prepared, Task
from envpool.errors import ConfigError, shorten

from ._scenario import numbers_of

if TYPE_CHECKING:
    from typing import TypeGuard

__all__ = ["data_folder", "prepare"]

_AGENTS = ("number_of_left_players_agent_controls", "number_of_right_players_agent_controls")


def prepare(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
    """See the hook `envpool_prepare`."""
    given: dict[str, Any] = dict(options)
    scenario = given.pop("scenario", None)
    if scenario is None:
        scenario = task.defaults["scenario"]
    data = data_folder()
    call = f"make({task.id!r}, scenario={shorten(scenario)})"
    numbers = numbers_of(scenario, data / "scenarios", call)
    derived = {"even_episodes": numbers.even, "odd_episodes": numbers.odd, "data_path": str(data)}
    players = [given.get(name, task.defaults.get(name, 0)) for name in _AGENTS]
    if "max_num_players" not in given and all(_is_int(number) for number in players):
        given["max_num_players"] = max(1, sum(players))
    return Prepared(task.env, {**derived, **_lengths(given, numbers.game_duration), **given})


def _lengths(given: Mapping[str, Any], duration: int) -> dict[str, int]:
    """The duration of a game and the pool's limit: each is derived from the other.

    The engine counts from -1, so a game of n steps has n + 1.
    """
    limit = given.get("max_episode_steps")
    if _is_int(given.get("game_duration")):
        duration = given["game_duration"]
    elif _is_int(limit) and limit > 0:
        duration = limit - 1
    lengths = {"game_duration": duration}
    if limit is None and 0 <= duration < 2**31 - 1:
        lengths["max_episode_steps"] = duration + 1
    return lengths


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


@functools.cache
def data_folder() -> Path:
    """The engine's data, beside the compiled module.

    Raises:
        ConfigError: If the wheel is incomplete.
    """
    found = importlib.util.find_spec("envpool_gfootball._gfootball")
    folder = Path(found.origin if found and found.origin else __file__).parent / "data"
    if not (folder / "media" / "animations").is_dir():
        raise ConfigError(
            "the data of envpool-gfootball",
            f"no folder {folder / 'media' / 'animations'}",
            "the folders that its wheel brings",
            "Install envpool-gfootball again",
        )
    return folder
