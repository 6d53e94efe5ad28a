# SPDX-License-Identifier: Apache-2.0
"""Before a pool is built: applies the preset, loads the cartridge, chooses the environment."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from envpool import Prepared, Task
from envpool.errors import ConfigError, suggest

from . import _atari, _roms
from ._games import GAMES, OWN_ROM, meanings, ranges
from ._own_rom import own_rom
from ._presets import FRAME_LIMIT, PIPELINE, PRESETS


def prepare(task: Task, given: Mapping[str, object], build: bool) -> Prepared:
    """See the hook `envpool_prepare`. Options that are not given take the preset's values.

    Raises:
        ConfigError: If an option is of a wrong type or out of range.
        PluginError: If the cartridge of a pool is not found.
    """
    is_own = task.defaults["task"] == OWN_ROM
    own = own_rom(given) if is_own else dict(given)
    options = _with_preset(own, f"make({task.id!r}, ", GAMES if not is_own else (str(own["task"]),))
    game = str({**task.defaults, **options}["task"])
    if build and not _atari.has_cartridge(game):
        rom = _roms.find(game, _atari.md5(game), str(options.get("base_path", "")))
        _atari.load_cartridge(game, rom)
    # The two environments have different action types.
    continuous = options.get("continuous", False)
    row = _atari.game_info(game)
    notes = {
        "action names": ", ".join(
            meanings(row, bool(options.get("full_action_space")), bool(continuous))
        ),
        "modes": ranges(row.modes),
        "difficulties": ranges(row.difficulties),
    }
    env = _atari.AtariContinuous if continuous else _atari.Atari
    return Prepared(_atari.AtariRom if is_own else env, options, notes)


def _with_preset(
    config: Mapping[str, object], call: str, games: tuple[str, ...]
) -> dict[str, object]:
    given = dict(config)
    preset = given.get("preset", "envpool")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise _refused(call, "preset", preset, tuple(PRESETS))
    game = given.get("task", games[0])
    if not isinstance(game, str) or game not in games:
        raise _refused(call, "task", game, games)
    skip = given.get("frame_skip")
    if isinstance(skip, (tuple, list)):
        if "frame_skip_high" in given:
            high = given["frame_skip_high"]
            asked = f"{call}frame_skip={skip!r}, frame_skip_high={high!r})"
            then = "Leave frame_skip_high out"
            raise ConfigError(asked, "an upper limit twice", "one of the two", then)
        given["frame_skip"], given["frame_skip_high"] = _pair(skip, call)
    if isinstance(given.get("crop"), int):
        given["crop"] = str(given["crop"])
    preset_options = dict(PRESETS[preset])
    if preset == "gymnasium" and given.get("obs_type") == "screen":
        preset_options.update(PIPELINE)
    frames = None if "frame_skip_high" in given else given.get("frame_skip")
    if preset != "envpool" and isinstance(frames, int) and frames > 0:
        preset_options["max_episode_steps"] = -(-FRAME_LIMIT // frames)
    return preset_options | given


def _pair(skip: Sequence[Any], call: str) -> tuple[int, int]:
    """The two numbers of `frame_skip=(low, high)`."""
    most = _atari.MOST_FRAMES + 1
    with contextlib.suppress(TypeError, ValueError):  # not two values, or not whole numbers
        low, high = map(operator.index, skip)
        if 1 <= low < high <= most:
            return low, high
    allowed = f"a number of frames, or a pair (low, high) with 1 <= low < high <= {most}"
    raise ConfigError(f"{call}frame_skip={skip!r})", repr(skip), allowed, "Pass one of the two")


def _refused(call: str, key: str, value: object, allowed: tuple[str, ...]) -> ConfigError:
    return ConfigError(
        f"{call}{key}={value!r})",
        repr(value),
        ", ".join(map(repr, allowed)),
        suggest(value, allowed, "Pass one of these"),
    )
