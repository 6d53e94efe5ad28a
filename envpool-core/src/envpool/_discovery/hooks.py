# SPDX-License-Identifier: Apache-2.0
"""The interface of a family to EnvPool: an object `FAMILY`, or functions.

An entry point of the group `envpool` names a module:

    [project.entry-points.envpool]
    classic = "envpool_classic"

The module has an `envpool.Family` under the name `FAMILY`:

    from envpool import Family, Task

    FAMILY = Family(
        [Task("CartPole-v1", "envpool_classic._classic:CartPole", max_episode_steps=500)]
    )

A module without `FAMILY`, or any other object that the entry point names, has functions (or
methods) under the decorator `envpool.hookimpl`, by the names of `Hooks`. pluggy calls them: a
function may leave out arguments that it does not need, and `hookimpl(wrapper=True)` and other
options of pluggy work. A family sees only its own calls. Importing the module must be cheap and
must not import the compiled extension: `make` does that.
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
    """The signatures against which pluggy checks the functions of a family."""

    @hookspec
    def envpool_tasks(self) -> Iterable[Task]:
        """The tasks of this family, in any order. Called once in a process.

        An exception is kept for `envpool.failures()` and `envpool doctor`. The family then has no
        tasks; other families are not affected.
        """

    @hookspec(firstresult=True)
    def envpool_task(self, task_id: str) -> Task | None:
        """A task that `envpool_tasks` does not list: for families with unlimited ids.

        Called for ids that begin with the name of the family and a colon, as "classic:Walk-v0",
        once for each id. `list_all_envs()` does not list the tasks that it returns.

        Args:
            task_id: The whole id.

        Returns:
            The task, whose id it is; None: no task has this id.

        Raises:
            EnvPoolError: Reaches the user unchanged.
            Exception: Any other exception becomes a PluginError that names the family.
        """

    @hookspec(firstresult=True)
    def envpool_prepare(
        self, task: Task, options: Mapping[str, object], build: bool
    ) -> Prepared | None:
        """Chooses the environment and the options of a pool, before any part of it is built.

        Here a family applies presets, looks for files, downloads, chooses between compiled
        variants. Every `make` and `make_spec` calls it, maybe several threads at once: a family
        keeps the result of work to be done once, and has a lock for it.

            @hookimpl
            def envpool_prepare(task, options):
                return Prepared(task.env, {"base_path": download(options.get("map")), **options})

        Args:
            task: A task of this family. Its `defaults` count for options that `options` lacks.
            options: The options of this call, by their names. The options of `Task(options=...)`
                are checked; the others may be anything.
            build: Whether a pool is going to be built; False: `make_spec` calls. Work that only a
                running environment needs can wait for a call with True.

        Returns:
            The environment and its options; None: `task.env` and the given options.

        Raises:
            EnvPoolError: Reaches the user unchanged; ConfigError is for a wrong option.
            Exception: Any other exception becomes a PluginError that names the family.
        """

    @hookspec
    def envpool_commands(self, app: typer.Typer) -> None:
        """Adds commands of this family to the command line program `envpool`.

        Several commands go best into a group: `app.add_typer(group, name="classic")`.

        Args:
            app: The program. A name that another command has is refused: ConfigError, which
                `envpool doctor` shows; the other commands are not affected.
        """

    @hookspec
    def envpool_findings(self) -> Iterable[Finding | Compared]:
        """The findings for the report of `envpool doctor`, beside that of the import.

        For requirements of a family that pip does not install: files, programs, licences. Each
        finding has a name, a result, and a remedy:

            yield Finding("maps", "none", "problem", "run `pip install walk-maps`")

        An `envpool.Compared` names the versions of a package that the tasks were compared with; the
        report shows an installed version that differs.

        An exception is reported as a problem of this family; the rest of the report is not
        affected.
        """


Part = Callable[..., Any] | str | None
"""A function, or the "module:function" that the first call imports."""


class Family:
    """The tasks of a wheel, and the functions of `Hooks` that it needs.

    An example::

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
        """Keeps the functions; calls and imports nothing.

        Args:
            tasks: The tasks, or a function that returns them.
            task: `task(task_id)`, as the hook `envpool_task`.
            prepare: `prepare(task, options, build)`, as the hook `envpool_prepare`.
            commands: `commands(app)`, as the hook `envpool_commands`.
            findings: `findings()`, as the hook `envpool_findings`.

        Raises:
            ConfigError: If an argument but `tasks` is neither a function nor "module:function".
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
        """A task that `envpool_tasks` does not list."""
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
    """A manager that knows the hooks and has no family yet."""
    manager = pluggy.PluginManager("envpool")
    manager.add_hookspecs(Hooks)
    return manager
