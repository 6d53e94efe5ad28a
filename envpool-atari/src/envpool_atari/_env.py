# SPDX-License-Identifier: Apache-2.0
"""The spec class of all tasks: presets, and the cartridge before the first environment."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from envpool._specs.options import known_options
from envpool._specs.spec import EnvSpec
from envpool.errors import ConfigError, suggest
from envpool.typing import CompiledArray, CompiledEnv, CompiledPool

from . import _atari, _roms
from ._games import ACTIONS, GAMES, ranges
from ._presets import FRAME_LIMIT, PIPELINE, PRESETS

if TYPE_CHECKING:
    from envpool import Task


class Atari:
    """The compiled environment, as `make` sees it; an `envpool.typing.CompiledEnv`.

    There are two in the compiled module, since their actions have different types.
    """

    name = _atari.Atari.name
    api_version = _atari.Atari.api_version
    compiler = _atari.Atari.compiler
    renders = _atari.Atari.renders
    saves = _atari.Atari.saves

    def default_config(self) -> dict[str, object]:
        """All options with their defaults."""
        return _atari.Atari.default_config()

    def describe(
        self, config: dict[str, object], /
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """The options as the environment read them, its state arrays and its action arrays."""
        return self._compiled(config).describe(config)

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> CompiledPool:
        """A pool, after the cartridge has been loaded.

        Raises:
            PluginError: If the cartridge is nowhere.
        """
        game = str(config["task"])
        if not _atari.has_cartridge(game):
            rom = _roms.find(game, _atari.md5(game), str(config["base_path"]))
            _atari.load_cartridge(game, rom)
        return self._compiled(config).make(config, task_id, autoreset_mode)

    @staticmethod
    def _compiled(config: Mapping[str, object]) -> CompiledEnv:
        return _atari.AtariContinuous if config["continuous"] else _atari.Atari


class AtariEnvSpec(EnvSpec):
    """Options and arrays of pools of Atari."""

    env: ClassVar[CompiledEnv] = Atari()
    _config_keys: ClassVar[list[str]] = list(known_options(env.default_config(), {}, env.name))
    _default_config_values: ClassVar[tuple[object, ...]] = tuple(
        known_options(env.default_config(), {}, env.name).values()
    )

    def __init__(
        self,
        config: Mapping[str, object] | tuple[object, ...] = (),
        task: Task | None = None,
        task_id: str = "",
    ) -> None:
        """As EnvSpec; options that are not given have the values of the preset.

        Raises:
            ConfigError: If an option is unknown, of a wrong type or out of range.
        """
        call = f"make({task.id!r}, " if task is not None else "AtariEnvSpec("
        # A tuple has all options, so there is nothing left for a preset to say.
        given: Any = _with_preset(config, call) if isinstance(config, Mapping) else config
        super().__init__(given, task, task_id)

    @property
    def action_meanings(self) -> tuple[str, ...]:
        """What each action is, as "RIGHTFIRE"; of a joystick, what its three numbers are."""
        if self.options["continuous"]:
            return "radius", "angle", "fire"
        numbers = self._game.legal if self.options["full_action_space"] else self._game.actions
        return tuple(ACTIONS[number] for number in numbers)

    @property
    def modes(self) -> tuple[int, ...]:
        """What the option `mode` may be beside -1, which is the first of them."""
        return tuple(self._game.modes)

    @property
    def difficulties(self) -> tuple[int, ...]:
        """What the option `difficulty` may be beside -1."""
        return tuple(self._game.difficulties)

    @property
    def notes(self) -> Mapping[str, str]:
        """Actions, modes and difficulties, for `envpool info`."""
        return {
            "action names": ", ".join(self.action_meanings),
            "modes": ranges(self.modes),
            "difficulties": ranges(self.difficulties),
        }

    @property
    def _game(self) -> _atari.GameInfo:
        return _atari.game_info(self.options["task"])


def _with_preset(config: Mapping[str, object], call: str) -> dict[str, object]:
    given = dict(config)
    preset = given.get("preset", "envpool")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise _refused(call, "preset", preset, tuple(PRESETS))
    game = given.get("task", GAMES[0])
    if not isinstance(game, str) or game not in GAMES:
        raise _refused(call, "task", game, GAMES)
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
    with contextlib.suppress(TypeError, ValueError):  # they are not two, or no whole numbers
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
