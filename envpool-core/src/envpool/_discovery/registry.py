# SPDX-License-Identifier: Apache-2.0
"""The tasks of all installed families, found when they are first needed.

`import envpool` reads nothing. The first look at an id reads the *names* of the entry points of the
group `envpool`; a plugin's module is imported when an id was not found without it, the one that
probably has it first. Each plugin is loaded in its own `try`: what goes wrong is kept, told by
`failures()` and appended to the next error about an unknown task, and hides no other plugin.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, PluginError, UnknownTaskError, suggest
from ..family import Task
from .known_families import family_of, wheel_of
from .plugin import GROUP, IDS_GROUP, Plugin, by_likelihood

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import pluggy
    import typer

DISABLE_VARIABLE = "ENVPOOL_DISABLE_PLUGINS"


class Registry:
    """Tasks by id: those of the plugins, and those that were registered by hand."""

    def __init__(
        self, entries: Iterable[EntryPoint] | None = None, hints: Iterable[EntryPoint] = ()
    ) -> None:
        """Reads nothing yet.

        Args:
            entries: Entry points to use in place of the installed ones.
            hints: Those of the group `envpool.ids`, which go with them.
        """
        self._entries = entries
        self._hints = tuple(hints)
        self._plugins: list[Plugin] | None = None
        self._manager: pluggy.PluginManager | None = None
        self._tasks: dict[str, Task] = {}
        self._origins: dict[str, Plugin | None] = {}
        self._ambiguous: dict[str, PluginError] = {}
        self._failures: list[PluginError] = []
        # The plugin that is being imported, and the tasks that it has registered by hand.
        self._loading: tuple[Plugin | None, list[Task]] = (None, [])
        # Held while plugins are loaded; by one thread more than once if a plugin asks for tasks.
        self._lock = threading.RLock()

    def find(self, task_id: str) -> Task:
        """The task of this id or alias.

        Raises:
            ConfigError: If the id is not a string.
            UnknownTaskError: If no family has it; names the nearest id or the wheel to install.
            PluginError: If two families have it.
        """
        if not isinstance(task_id, str):
            raise ConfigError(
                "make(task_id=...)",
                repr(task_id),
                "a task id, which is a string",
                "See envpool.list_all_envs() for all ids",
            )
        if task_id not in self._tasks:
            with self._lock:
                self._load_until(task_id)
        if task_id in self._ambiguous:
            raise self._ambiguous[task_id]
        task = self._tasks.get(task_id)
        if task is None:
            raise self._unknown(task_id)
        if task.deprecated is not None:
            warnings.warn(
                f"task {task_id!r} is deprecated: {task.deprecated}",
                DeprecationWarning,
                stacklevel=_stacklevel(),
            )
        return task

    def origin(self, task_id: str) -> Plugin | None:
        """The plugin that a found task comes from; None if it was registered by hand."""
        return self._origins.get(task_id)

    def add(self, task: Task) -> None:
        """Registers a task by hand; it goes before the same id of a plugin that is loaded later.

        Raises:
            ConfigError: If the id or an alias is taken.
        """
        for name in task.names:
            if name in self._tasks:
                raise ConfigError(
                    f"register({name!r})",
                    "an id that is taken",
                    "ids that no other task has",
                    "Choose another id",
                )
        plugin, registered = self._loading
        registered.append(task)
        self._put(task, plugin)

    def list_all_envs(self) -> list[str]:
        """All ids and aliases, sorted. Imports every plugin."""
        with self._lock:
            for plugin in self._found():
                self._load(plugin)
            return sorted(self._tasks)

    def tasks(self) -> list[Task]:
        """All tasks, sorted by id, each once. Imports every plugin."""
        return [self._tasks[name] for name in self.list_all_envs() if self._tasks[name].id == name]

    def plugins(self) -> list[Plugin]:
        """All plugins, whether they were imported yet or not, sorted by name."""
        with self._lock:
            return list(self._found())

    def add_commands(self, app: typer.Typer) -> None:
        """Lets every plugin add its commands to `app`. Imports every plugin."""
        self.list_all_envs()
        for plugin in self._found():
            try:
                plugin.add_commands(app)
            except PluginError as failure:
                self._failures.append(failure)

    def failures(self) -> list[PluginError]:
        """What went wrong in the plugins that were imported so far."""
        return list(self._failures)

    def _found(self) -> list[Plugin]:
        if self._plugins is None:
            if self._entries is None:
                self._entries, self._hints = self._installed()
            self._plugins = sorted(map(Plugin, self._entries), key=lambda p: (p.name, p.module))
            named = os.environ.get(DISABLE_VARIABLE, "").split(",")
            disabled = {name.strip() for name in named} - {""}
            for plugin in self._plugins if disabled else ():
                if disabled & {plugin.name, plugin.wheel}:
                    plugin.state = "disabled"
        return self._plugins

    def _installed(self) -> tuple[tuple[EntryPoint, ...], tuple[EntryPoint, ...]]:
        """The entry points of both groups. Reads a small file of every installed wheel."""
        from importlib import metadata  # 30 ms to import

        try:
            found: list[Any] = [metadata.entry_points()]
        except Exception:
            # The file of one wheel, maybe none of ours, cannot be read: the others count.
            found = []
            for wheel in metadata.distributions():
                try:
                    found.append(wheel.entry_points)
                except Exception as cause:
                    self._failures.append(_unreadable(wheel.metadata["Name"], cause))
        plugins, hints = (
            tuple(entry for entries in found for entry in entries.select(group=group))
            for group in (GROUP, IDS_GROUP)
        )
        return plugins, hints

    def _load_until(self, task_id: str) -> None:
        for plugin in by_likelihood(self._found(), self._hints, task_id):
            self._load(plugin)
            if task_id in self._tasks:
                return

    def _load(self, plugin: Plugin) -> None:
        if plugin.state != "found":
            return
        if self._manager is None:
            from .hooks import new_manager  # pluggy comes with it

            self._manager = new_manager()
        plugin.state = "loading"
        registered: list[Task] = []
        outer, self._loading = self._loading, (plugin, registered)
        try:
            tasks = plugin.load(self._manager, registered)
        except BaseException as failure:
            # All of a plugin or nothing: what it has registered by hand is taken back.
            for name in [name for name, origin in self._origins.items() if origin is plugin]:
                del self._tasks[name], self._origins[name]
            if not isinstance(failure, PluginError):  # Ctrl-C: the next look tries again
                plugin.state = "found"
                raise
            plugin.state = "failed"
            self._failures.append(failure)
            return
        finally:
            self._loading = outer
        plugin.state = "loaded"
        plugin.task_ids = tuple(task.id for task in (*registered, *tasks))
        for task in tasks:
            self._put(task, plugin)

    def _put(self, task: Task, plugin: Plugin | None) -> None:
        for name in task.names:
            if name not in self._tasks:
                self._tasks[name] = task
                self._origins[name] = plugin
                continue
            other = self._origins[name]
            self._failures.append(error := _taken_twice(name, other, plugin))
            if other is not None and other is not plugin:
                self._ambiguous[name] = error

    def _unknown(self, task_id: str) -> UnknownTaskError:
        family = family_of(task_id)
        names = {plugin.name: plugin for plugin in self._found()}
        if family is not None and family not in names:
            then = f"Run `pip install {wheel_of(family)}`: that wheel has ids like this one"
        elif family is not None and names[family].state == "disabled":
            then = f"Take {family!r} out of {DISABLE_VARIABLE}: that family has ids like this one"
        else:
            then = suggest(task_id, self._tasks, "See envpool.list_all_envs() for all ids")
        loaded = [plugin.name for plugin in self._found() if plugin.state == "loaded"]
        return UnknownTaskError(
            f"make({task_id!r})",
            "a task id that no installed family has",
            f"the {len(self._tasks)} ids of the families {', '.join(loaded) or '(none)'}",
            then,
            failures=self._failures,
        )


def _taken_twice(name: str, first: Plugin | None, second: Plugin | None) -> PluginError:
    asked = f"task {name!r}"
    if second is not None and first is second:
        got = "two tasks of this id, or a task and an alias"
        return second.error(asked, got, "one", "Take one of them out of the plugin")
    taken_by = "a task registered by hand" if first is None else str(first)
    return PluginError(
        asked,
        f"two tasks of this id, from {taken_by} and from {second}",
        "one",
        f"Uninstall one of the two wheels, or name its plugin in {DISABLE_VARIABLE}",
        plugin="" if second is None else second.name,
        wheel="" if second is None else second.wheel,
        version="" if second is None else second.version,
    )


def _unreadable(wheel: str, cause: Exception) -> PluginError:
    return PluginError(
        f"entry_points.txt of {wheel}",
        f"{type(cause).__name__}: {cause}",
        "a file that Python can read",
        f"Run `pip install --force-reinstall {wheel}`",
        wheel=wheel,
    )


def _stacklevel() -> int:
    """How many frames up a warning must point to blame the code that called EnvPool."""
    import sys

    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
        level += 1
    return level


registry = Registry()


def list_all_envs() -> list[str]:
    """All task ids of all installed families, aliases included, sorted."""
    return registry.list_all_envs()


def failures() -> list[PluginError]:
    """What went wrong in the plugins that were imported so far; empty if nothing did."""
    return registry.failures()


def register(
    task: Task | str | None = None,
    /,
    import_path: str = "",
    spec_cls: str = "",
    dm_cls: str = "",
    gymnasium_cls: str = "",
    *,
    task_id: str = "",
    gym_cls: str = "",
    aliases: Iterable[str] = (),
    **defaults: Any,
) -> None:
    """Registers a task by hand, for code that is not a plugin.

    Either `register(Task(...))`, or the way of the EnvPool documentation:

        register(task_id="Toy-v0", import_path="toy", spec_cls="ToyEnvSpec", dm_cls="ToyDMEnvPool",
                 gymnasium_cls="ToyGymnasiumEnvPool", max_episode_steps=100)

    Args:
        task: A Task, or the id of the task to describe with the other arguments.
        import_path: The module that has the classes.
        spec_cls: Name of its spec class, the first that `py_env` returned.
        dm_cls: Name of its dm_env class.
        gymnasium_cls: Name of its Gymnasium class.
        task_id: The id, if `task` is not given.
        gym_cls: Accepted for old code, and not used: the Gymnasium class serves "gym" too.
        aliases: Further ids of the same task.
        **defaults: Options of this task that differ from those of its environment.

    Raises:
        ConfigError: If the id is taken, or an argument is missing.
    """
    del gym_cls
    if isinstance(task, Task):
        registry.add(task)
        return
    classes: Mapping[str, str] = {"dm": dm_cls, "gymnasium": gymnasium_cls}
    task_id = task_id or task or ""
    for name, value in {
        "task_id": task_id,
        "import_path": import_path,
        "spec_cls": spec_cls,
        "dm_cls": dm_cls,
        "gymnasium_cls": gymnasium_cls,
    }.items():
        if not value:
            raise ConfigError(
                f"register(task_id={task_id!r})",
                f"no {name}",
                "task_id, import_path, spec_cls, dm_cls and gymnasium_cls, or one Task",
                f"Pass {name}=...",
            )
    registry.add(
        Task(
            task_id,
            f"{import_path}:{spec_cls}",
            aliases=tuple(aliases),
            pool_classes={key: f"{import_path}:{name}" for key, name in classes.items()},
            **defaults,
        )
    )
