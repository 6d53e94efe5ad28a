# SPDX-License-Identifier: Apache-2.0
"""The program to which commands are added; each name belongs to one command.

A taken name is refused in the hook of the plugin that wants it, so the error is that plugin's, and
the earlier command stays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from ..errors import ConfigError

OWN_COMMANDS = ("list-envs", "info", "bench", "render", "play", "watch", "doctor", "new-plugin")
"""Names that no plugin may use."""


class Program(typer.Typer):
    """A typer program that refuses a second command of the same name.

    Attributes:
        owners: The owner of each name: "envpool" for its own commands, else the plugin's module.
    """

    def __init__(self, **options: Any) -> None:
        """Makes a program without commands.

        Args:
            **options: Typer's.
        """
        super().__init__(**options)
        self.owners = dict.fromkeys(OWN_COMMANDS, "envpool")

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """A decorator that adds a command, named like its function if no name is given.

        Raises:
            ConfigError: When it decorates, if the name is taken.
        """
        add = super().command(name, **options)

        def decorate(function: Any) -> Any:
            self._claim(name or _name_of(function), function.__module__)
            return add(function)

        return decorate

    def add_typer(
        self, typer_instance: typer.Typer, *, name: str | None = None, **options: Any
    ) -> None:
        """Adds a command with commands of its own.

        Raises:
            ConfigError: If the group has no name, or it is taken.
        """
        given = name or typer_instance.info.name
        commands = typer_instance.registered_commands
        function = commands[0].callback if commands else None
        module = getattr(function, "__module__", "")
        if not isinstance(given, str):
            raise ConfigError(
                f"add_typer() in {module or 'a plugin'}",
                "a group without a name",
                "groups with a name, so that it is known whether it is taken",
                "Pass name=...",
            )
        self._claim(given, module)
        super().add_typer(typer_instance, name=name, **options)

    def add_own(self, name: str, function: Callable[..., None]) -> None:
        """Adds one of the program's own commands."""
        super().command(name)(function)

    def _claim(self, name: str, module: str) -> None:
        owner = self.owners.get(name)
        if owner is not None:
            free = f"{module.partition('.')[0].removeprefix('envpool_') or 'my'}-{name}"
            raise ConfigError(
                f"the command {name!r} of {module or 'a plugin'}",
                f"a name that {owner} has",
                f"other names than {', '.join(sorted(self.owners))}",
                f"Name it {free!r}, for example",
            )
        self.owners[name] = module


def _name_of(function: Any) -> str:
    """The name that typer gives a function's command."""
    return str(function.__name__).lower().replace("_", "-")
