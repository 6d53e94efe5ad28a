# SPDX-License-Identifier: Apache-2.0
"""What a family is: five functions at most, which EnvPool calls by their names.

A family is a Python module, or any object, that an entry point of the group `envpool` names:

    [project.entry-points.envpool]
    classic = "envpool_classic"

Its functions (or methods) stand under the decorator `envpool.hookimpl`; `envpool_tasks` is enough:

    from envpool import Task, hookimpl

    @hookimpl
    def envpool_tasks():
        yield Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500)

pluggy calls them. So a function may leave out arguments that it does not need, and
`hookimpl(wrapper=True)` and its like work. No family sees the calls for another. Importing it must
be cheap and must not import the compiled extension: `make` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import pluggy

if TYPE_CHECKING:
    import typer

    from ..compared import Compared
    from ..family import Finding, Prepared, Task

hookspec = pluggy.HookspecMarker("envpool")
hookimpl = pluggy.HookimplMarker("envpool")


class Hooks(Protocol):
    """What pluggy checks the functions of a family against."""

    @hookspec
    def envpool_tasks(self) -> Iterable[Task]:
        """The tasks of this family, in any order. Asked for once in a process.

        An exception is kept for `envpool.failures()` and `envpool doctor`, and no task of the
        family is there; other families are not touched.
        """

    @hookspec(firstresult=True)
    def envpool_task(self, task_id: str) -> Task | None:
        """One task that `envpool_tasks` does not list: for families whose ids have no end.

        Asked for ids that begin with the name of the family and a colon, as "classic:Walk-v0", and
        for each of them once. `list_all_envs()` does not know the tasks that it returns.

        Args:
            task_id: The whole id.

        Returns:
            The task, whose id it is; None: there is none.

        Raises:
            EnvPoolError: Reaches the user as it is.
            Exception: Any other becomes a PluginError that names the family.
        """

    @hookspec(firstresult=True)
    def envpool_prepare(
        self, task: Task, options: Mapping[str, object], build: bool
    ) -> Prepared | None:
        """Chooses the environment and the options of a pool, before anything of it is built.

        Here a family applies presets, looks for files, downloads, chooses between compiled
        variants. Asked by every `make` and `make_spec`, maybe by several threads at once: a family
        remembers itself what is to be done once, and has a lock for it.

            @hookimpl
            def envpool_prepare(task, options):
                return Prepared(task.env, {"base_path": download(options.get("map")), **options})

        Args:
            task: One of this family. Its `defaults` count where `options` has nothing.
            options: What the user gave in this call, by the names that the options have. Those of
                `Task(options=...)` are checked; the others may be anything.
            build: Whether a pool is going to be built; False: `make_spec` asks. What nothing but a
                running environment needs can wait for it.

        Returns:
            The environment and its options; None: `task.env`, and the options as they were given.

        Raises:
            EnvPoolError: Reaches the user as it is: ConfigError where an option is wrong.
            Exception: Any other becomes a PluginError that names the family.
        """

    @hookspec
    def envpool_commands(self, app: typer.Typer) -> None:
        """Adds commands of this family to the command line program `envpool`.

        Several go best into a group: `app.add_typer(group, name="classic")`.

        Args:
            app: The program. A name that another command has is refused: ConfigError, which
                `envpool doctor` shows; the other commands are not touched.
        """

    @hookspec
    def envpool_findings(self) -> Iterable[Finding | Compared]:
        """What `envpool doctor` is to report of this family, beside that it can be imported.

        For what a family needs and pip does not bring: files, programs, licences. Each finding has
        a name, what was found, and what to do about it:

            yield Finding("maps", "none", "problem", "run `pip install walk-maps`")

        An `envpool.Compared` says which version of a package the tasks were compared with; the
        report tells where another one is installed.

        An exception is reported as a problem of this family; the rest of the report is not touched.
        """


def new_manager() -> pluggy.PluginManager:
    """A manager that knows the hooks and no family yet."""
    manager = pluggy.PluginManager("envpool")
    manager.add_hookspecs(Hooks)
    return manager
