# SPDX-License-Identifier: Apache-2.0
"""How a family tells EnvPool its tasks: an object `FAMILY`, or functions.

An entry point of the group `envpool` names a module:

    [project.entry-points.envpool]
    classic = "envpool_classic"

The module has an `envpool.Family` under the name `FAMILY`:

    from envpool import Family, Task

    FAMILY = Family(
        [Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500)]
    )

A module without `FAMILY`, or any other object that the entry point names, has functions (or
methods) under the decorator `envpool.hookimpl`, by the names of `Hooks`. pluggy calls them. So a
function may leave out arguments that it does not need, and `hookimpl(wrapper=True)` and its like
work. No family sees the calls for another. Importing the module must be cheap and must not import
the compiled extension: `make` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import pluggy

from ..errors import ConfigError

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


Part = Callable[..., Any] | str | None
"""A function, or the "module:function" to import when it is called first."""


class Family:
    """The tasks of a wheel, and what EnvPool can ask about them: what `Hooks` describes.

    FAMILY = Family(
        tasks,
        prepare="envpool_walk._prepare:prepare",
        findings="envpool_walk._findings:findings",
    )
    """

    def __init__(
        self,
        tasks: Iterable[Task] | Callable[[], Iterable[Task]],
        *,
        task: Part = None,
        prepare: Part = None,
        commands: Part = None,
        findings: Part = None,
    ) -> None:
        """Keeps the functions; nothing is called or imported.

        Args:
            tasks: The tasks, or a function that returns them.
            task: `task(task_id)`, as the hook `envpool_task`.
            prepare: `prepare(task, options, build)`, as the hook `envpool_prepare`.
            commands: `commands(app)`, as the hook `envpool_commands`.
            findings: `findings()`, as the hook `envpool_findings`.

        Raises:
            ConfigError: If one of the last four is neither a function nor "module:function".
        """
        self._tasks = tasks if callable(tasks) else tuple(tasks)
        parts = {"task": task, "prepare": prepare, "commands": commands, "findings": findings}
        for name, part in parts.items():
            named = isinstance(part, str) and all(part.partition(":"))
            if not (part is None or named or callable(part)):
                raise ConfigError(
                    f"Family({name}={part!r})",
                    repr(part),
                    "a function, or 'module:function'",
                    "Pass the function, or the module and its name with a colon between them",
                )
        self._parts: dict[str, Part] = dict(parts)

    @hookimpl
    def envpool_tasks(self) -> Iterable[Task]:
        """All tasks."""
        return self._tasks() if callable(self._tasks) else self._tasks

    @hookimpl
    def envpool_task(self, task_id: str) -> Task | None:
        """One task that `envpool_tasks` does not list."""
        return self._call("task", task_id)  # type: ignore[no-any-return]

    @hookimpl
    def envpool_prepare(
        self, task: Task, options: Mapping[str, object], build: bool
    ) -> Prepared | None:
        """The environment and the options of a pool."""
        return self._call("prepare", task, options, build)  # type: ignore[no-any-return]

    @hookimpl
    def envpool_commands(self, app: typer.Typer) -> None:
        """Adds commands to the program `envpool`."""
        self._call("commands", app)

    @hookimpl
    def envpool_findings(self) -> Iterable[Finding | Compared]:
        """Lines of `envpool doctor`."""
        return () if self._parts["findings"] is None else self._call("findings")

    def _call(self, name: str, *arguments: object) -> Any:
        part = self._parts[name]
        if isinstance(part, str):
            module, _, function = part.partition(":")
            part = self._parts[name] = getattr(import_module(module), function)
        return None if part is None else part(*arguments)


def new_manager() -> pluggy.PluginManager:
    """A manager that knows the hooks and no family yet."""
    manager = pluggy.PluginManager("envpool")
    manager.add_hookspecs(Hooks)
    return manager
