# SPDX-License-Identifier: Apache-2.0
"""The spec class of all tasks: presets, and the cartridge before the first environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from envpool._config import known_options
from envpool._spec import EnvSpec
from envpool.errors import ConfigError, explain, suggest
from envpool.typing import EnvType, RawArray, RawPool

from . import _atari, _roms
from ._games import GAMES
from ._presets import PRESETS

if TYPE_CHECKING:
    from envpool import Task


class Atari:
    """The compiled environment, as `make` sees it; an `envpool.typing.EnvType`.

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
    ) -> tuple[dict[str, object], list[RawArray], list[RawArray]]:
        """The options as the environment read them, its state arrays and its action arrays."""
        return self._compiled(config).describe(config)

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> RawPool:
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
    def _compiled(config: Mapping[str, object]) -> EnvType:
        return _atari.AtariContinuous if config["continuous"] else _atari.Atari


class AtariEnvSpec(EnvSpec):
    """Options and arrays of pools of Atari."""

    env: ClassVar[EnvType] = Atari()
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
        if len(skip) != 2 or not all(isinstance(frames, int) for frames in skip):
            allowed = "a number of frames, or a pair (low, high) of numbers"
            then = "Pass one of the two"
            raise ConfigError(explain(f"{call}frame_skip={skip!r})", repr(skip), allowed, then))
        given["frame_skip"], given["frame_skip_high"] = skip
    if isinstance(given.get("crop"), int):
        given["crop"] = str(given["crop"])
    return {**PRESETS[preset], **given}


def _refused(call: str, key: str, value: object, allowed: tuple[str, ...]) -> ConfigError:
    return ConfigError(
        explain(
            f"{call}{key}={value!r})",
            repr(value),
            ", ".join(map(repr, allowed)),
            suggest(value, allowed, "Pass one of these"),
        )
    )
