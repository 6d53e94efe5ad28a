# SPDX-License-Identifier: Apache-2.0
"""The hooks that a plugin may implement: the whole interface between EnvPool and a family.

A plugin is a Python module named by an entry point of the group `envpool`:

    [project.entry-points.envpool]
    classic = "envpool_classic"

and decorates its functions:

    from envpool import Task, hookimpl

    @hookimpl
    def envpool_tasks():
        yield Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500)

Importing that module must be cheap and must not import the compiled extension: `make` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import typer

    from ..family import Finding, Task

hookspec = pluggy.HookspecMarker("envpool")
hookimpl = pluggy.HookimplMarker("envpool")


class Hooks:
    """What pluggy checks the functions of a plugin against."""

    @hookspec
    def envpool_tasks(self) -> Iterable[Task]:
        """The tasks of this family, in any order. Asked for once in a process."""
        raise NotImplementedError

    @hookspec
    def envpool_commands(self, app: typer.Typer) -> None:
        """Adds commands of this family to the command line program `envpool`.

        Several go best into a group: `app.add_typer(group, name="classic")`.

        Args:
            app: The program. A name that another command has is refused: ConfigError, which
                `envpool doctor` shows; the other commands are not touched.
        """

    @hookspec
    def envpool_findings(self) -> Iterable[Finding]:
        """What `envpool doctor` is to report of this family, beside that it can be imported.

        For what a family needs and pip does not bring: files, programs, licences. Each finding has
        a name, what was found, and what to do about it:

            yield Finding("maps", "none", "problem", "run `pip install walk-maps`")

        An exception is reported as a problem of this family; the rest of the report is not touched.
        """
        raise NotImplementedError


def new_manager() -> pluggy.PluginManager:
    """A manager that knows the hooks and no plugin yet."""
    manager = pluggy.PluginManager("envpool")
    manager.add_hookspecs(Hooks)
    return manager
