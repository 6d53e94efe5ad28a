# SPDX-License-Identifier: Apache-2.0
"""The tasks of all installed families, loaded at their first use.

`import envpool` reads nothing. The first lookup of an id reads the *names* of the entry points of
the group `envpool`; a plugin's module is imported if the plugins imported before do not have the
id, the most likely plugin first. Each plugin is loaded in its own `try`: its error is kept,
reported by `failures()` and appended to the next error about an unknown task, and hides no other
plugin.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, EnvPoolError, PluginError, UnknownTaskError, nearest
from ..family import Prepare, Prepared, Task
from .gymnasium_ids import gymnasium_id
from .known_families import family_of
from .plugin import GROUP, IDS_GROUP, Plugin, by_likelihood, problem_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
            hints: Entry points of the group `envpool.ids` that go with `entries`.
        """
        self._entries = entries
        self._hints = tuple(hints)
        self._plugins: list[Plugin] | None = None
        # Registered outside of the import of any plugin.
        self._by_hand: dict[str, Task] = {}
        self._prepares: dict[Task, Prepare] = {}
        # The plugins with a name, in the order of their loading.
        self._owners: dict[str, list[Plugin]] = {}
        self._failures: list[PluginError] = []
        # The plugin that this thread is importing.
        self._importing = threading.local()
        # Held while plugins are loaded; reentrant, because a plugin may ask for tasks.
        self._loading = threading.RLock()
        # Held for moments only, while names are looked up and entered: a thread that registers a
        # task must not wait for another that imports the same module.
        self._names = threading.RLock()

    def find(self, task_id: str) -> Task:
        """The task of this id or alias.

        A task that was registered by hand comes first; then the task of the most likely plugin. So
        an id always means the same task, whatever ids were looked up before.

        Raises:
            ConfigError: If the id is not a string.
            UnknownTaskError: If no family has it; names the nearest id or the wheel to install.
        """
        if not isinstance(task_id, str):
            raise ConfigError(
                "make(task_id=...)",
                repr(task_id),
                "a task id, which is a string",
                "See envpool.list_all_envs() for all ids",
            )
        task = self._by_hand.get(task_id) or self._task_of_plugins(task_id)
        if task is None:
            raise self._unknown(task_id)
        if task.deprecated is not None:
            warnings.warn(
                f"task {task_id!r} is deprecated: {task.deprecated}",
                DeprecationWarning,
                stacklevel=_stacklevel(),
            )
        return task

    def advice(self, task_id: str, otherwise: str) -> str:
        """The hint for an id that no family has.

        Args:
            task_id: The id.
            otherwise: The hint where no other hint applies.
        """
        family = family_of(task_id)
        states = {plugin.name: plugin.state for plugin in self._found()}
        if family is not None and family not in states:
            return f"run `pip install envpool-{family}`: that wheel has ids like this one"
        if family is not None and states[family] == "disabled":
            return f"take {family!r} out of {DISABLE_VARIABLE}: that family has ids like this one"
        ids = self._by_hand.keys() | self._owners.keys()
        near = nearest(task_id, ids, least=0.75)
        known = None if near else gymnasium_id(task_id)
        if known is not None:
            first = "" if "python" in states else "run `pip install envpool-python` and "
            return f"{first}use 'python:{known}', Gymnasium's environment in worker processes"
        near = near or nearest(task_id, ids)
        return otherwise if near is None else f"did you mean {near!r}? If not, {otherwise}"

    def origin(self, task: Task | str) -> Plugin | None:
        """The plugin that a found task comes from; None if it was registered by hand.

        Args:
            task: The task, or a name of it.
        """
        if isinstance(task, str):
            plugins = [] if task in self._by_hand else self._owners.get(task, [])
            if len(plugins) > 1:
                plugins = by_likelihood(plugins, self._hints, task)
            return plugins[0] if plugins else None
        for plugin in self._owners.get(task.id, ()):
            if plugin.tasks.get(task.id) is task:
                return plugin
        for plugin in self._found():
            if plugin.found.get(task.id) is task:
                return plugin
        return None

    def prepare(self, task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
        """The family's answer for a pool; None if it has none.

        Raises:
            EnvPoolError: If the family raises one.
            PluginError: If the family raises another exception.
        """
        prepare = self._prepares.get(task)
        if prepare is not None:
            return _prepare_by_hand(prepare, task, options, build)
        plugin = self.origin(task)
        return None if plugin is None else plugin.prepare(task, options, build)

    def add(self, task: Task, prepare: Prepare | None = None) -> None:
        """Registers a task by hand; it goes before the same id of a plugin that is loaded later.

        Raises:
            ConfigError: If the id or an alias is taken.
        """
        plugin = getattr(self._importing, "plugin", None)
        with self._names:
            for name in task.names:
                taken = name in self._owners if plugin is None else name in plugin.tasks
                if taken or (plugin is None and name in self._by_hand):
                    raise ConfigError(
                        f"register({name!r})",
                        "an id that is taken",
                        "ids that no other task has",
                        "Choose another id",
                    )
            if plugin is None:
                self._by_hand |= dict.fromkeys(task.names, task)
            else:
                self._enter(task, plugin)
            if prepare is not None:
                self._prepares[task] = prepare

    def list_all_envs(self) -> list[str]:
        """All ids and aliases, sorted. Imports every plugin."""
        for plugin in self._found():
            self._load(plugin)
        with self._names:
            return sorted(self._by_hand.keys() | self._owners.keys())

    def tasks(self) -> list[Task]:
        """All tasks, sorted by id, each once. Imports every plugin."""
        tasks: list[Task] = []
        for name in self.list_all_envs():
            plugin = self.origin(name)
            task = self._by_hand[name] if plugin is None else plugin.tasks[name]
            if task.id == name:
                tasks.append(task)
        return tasks

    def plugins(self) -> list[Plugin]:
        """All plugins, imported or not, sorted by name."""
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
        """The errors of the plugins that were imported so far."""
        return list(self._failures)

    def _found(self) -> list[Plugin]:
        if self._plugins is None:
            with self._loading:
                if self._plugins is None:
                    self._plugins = self._find_plugins()
        return self._plugins

    def _find_plugins(self) -> list[Plugin]:
        if self._entries is None:
            self._entries, self._hints = self._installed()
        plugins = sorted(map(Plugin, self._entries), key=lambda p: (p.name, p.module))
        named = os.environ.get(DISABLE_VARIABLE, "").split(",")
        disabled = {name.strip() for name in named} - {""}
        for plugin in plugins if disabled else ():
            if disabled & {plugin.name, plugin.wheel}:
                plugin.state = "disabled"
        return plugins

    def _installed(self) -> tuple[tuple[EntryPoint, ...], tuple[EntryPoint, ...]]:
        """The entry points of both groups. Reads a small file of every installed wheel."""
        from importlib import metadata  # 30 ms to import

        try:
            entry_points: list[Any] = [metadata.entry_points()]
        except Exception:
            # The file of a wheel, perhaps of none of ours, cannot be read: the other wheels count.
            entry_points = []
            for wheel in metadata.distributions():
                try:
                    entry_points.append(wheel.entry_points)
                except Exception as cause:
                    self._failures.append(_unreadable(wheel.metadata["Name"], cause))
        plugins, hints = (
            tuple(entry for entries in entry_points for entry in entries.select(group=group))
            for group in (GROUP, IDS_GROUP)
        )
        return plugins, hints

    def _task_of_plugins(self, task_id: str) -> Task | None:
        """The task of the most likely plugin that has it; no less likely plugin is imported."""
        for plugin in by_likelihood(self._found(), self._hints, task_id):
            self._load(plugin)
            task = plugin.find(task_id)
            if task is not None:
                return task
        return None

    def _load(self, plugin: Plugin) -> None:
        if plugin.state not in ("found", "loading"):
            return
        with self._loading:
            # Another thread may have loaded it by now, or this thread is about to.
            if plugin.state == "found":
                plugin.state = "loading"
                try:
                    with self._credit(plugin):
                        self._load_now(plugin)
                finally:
                    if plugin.state == "loading":  # Ctrl-C: the next look tries again
                        plugin.state = "found"

    def _load_now(self, plugin: Plugin) -> None:
        try:
            plugin.load()
            tasks = plugin.list_tasks()
        except PluginError as failure:
            # All tasks of a plugin or none: the tasks that it has registered by hand are taken
            # back.
            self._take_back(plugin)
            plugin.manager = None
            plugin.state = "failed"
            if not failure.plugin:  # an error that the family itself has raised
                failure.plugin, failure.wheel = plugin.name, plugin.wheel
                failure.version = plugin.version
            self._failures.append(failure)
            return
        except BaseException:
            # A module whose import was interrupted will run again; another has registered its tasks
            # by hand once and for all.
            if plugin.manager is None:
                self._take_back(plugin)
            raise
        with self._names:
            for task in tasks:
                self._enter(task, plugin)
        plugin.state = "loaded"

    @contextmanager
    def _credit(self, plugin: Plugin) -> Iterator[None]:
        """Tasks that this thread registers belong to the plugin; those of other threads do not."""
        outer = getattr(self._importing, "plugin", None)
        self._importing.plugin = plugin
        try:
            yield
        finally:
            self._importing.plugin = outer

    def _take_back(self, plugin: Plugin) -> None:
        with self._names:
            for name in plugin.tasks:
                self._owners[name].remove(plugin)
                if not self._owners[name]:
                    del self._owners[name]
            plugin.tasks.clear()

    def _enter(self, task: Task, plugin: Plugin) -> None:
        for name in task.names:
            owners = self._owners.setdefault(name, [])
            if plugin in owners:
                self._failures.append(_twice_in(plugin, name))
                continue
            plugin.tasks[name] = task
            owners.append(plugin)
            if name in self._by_hand:
                self._failures.append(_hidden(plugin, name))
            elif len(owners) > 1:
                first = by_likelihood(owners, self._hints, name)[0]
                second = owners[0] if plugin is first else plugin
                self._failures.append(_ambiguous(name, first, second))

    def _unknown(self, task_id: str) -> UnknownTaskError:
        ids = self._by_hand.keys() | self._owners.keys()
        then = self.advice(task_id, "see envpool.list_all_envs() for all ids")
        then = then[0].upper() + then[1:]
        loaded = [plugin.name for plugin in self._found() if plugin.state == "loaded"]
        return UnknownTaskError(
            f"make({task_id!r})",
            "a task id that no installed family has",
            f"the {len(ids)} ids of the families {', '.join(loaded) or '(none)'}",
            then,
            failures=self._failures,
        )


def _twice_in(plugin: Plugin, name: str) -> PluginError:
    got = "two tasks of this id, or a task and an alias"
    return plugin.error(f"task {name!r}", got, "one", "Take one of them out of the plugin")


def _hidden(plugin: Plugin, name: str) -> PluginError:
    return plugin.error(
        f"task {name!r}",
        "a task of this id that was registered by hand before, which make() takes",
        "one",
        "Register it under another id if that of the plugin is wanted too",
    )


def _ambiguous(name: str, first: Plugin, second: Plugin) -> PluginError:
    return PluginError(
        f"task {name!r}",
        f"two tasks of this id, from {first}, whose task make() takes, and from {second}",
        "one",
        f"Uninstall one of the two wheels, or name its plugin in {DISABLE_VARIABLE}",
        plugin=second.name,
        wheel=second.wheel,
        version=second.version,
    )


def _prepare_by_hand(
    prepare: Prepare, task: Task, options: Mapping[str, object], build: bool
) -> Prepared | None:
    asked = f"the function `prepare` that task {task.id!r} was registered with"
    try:
        answer = prepare(task, dict(options), build)
    except EnvPoolError:
        raise
    except (Exception, SystemExit) as cause:
        got = f"{type(cause).__name__}: {cause}"
        allowed = "a function of (task, options, build) that works"
        raise PluginError(asked, got, allowed, "Correct the function") from cause
    problem = problem_of(answer)
    if problem:
        then = "Correct the function"
        raise PluginError(asked, problem, "an envpool.Prepared, or None", then)
    return answer


def _unreadable(wheel: str, cause: Exception) -> PluginError:
    return PluginError(
        f"entry_points.txt of {wheel}",
        f"{type(cause).__name__}: {cause}",
        "a file that Python can read",
        f"Run `pip install --force-reinstall {wheel}`",
        wheel=wheel,
    )


def _stacklevel() -> int:
    """The number of frames between a warning and the code that called EnvPool."""
    frame = sys._getframe(1)
    level = 1
    ours = __package__.partition(".")[0]
    while frame.f_back is not None and (
        str(frame.f_globals.get("__package__")).partition(".")[0] == ours
    ):
        frame = frame.f_back
        level += 1
    return level


registry = Registry()


def list_all_envs() -> list[str]:
    """All task ids of all installed families, aliases included, sorted."""
    return registry.list_all_envs()


def failures() -> list[PluginError]:
    """The errors of the plugins that were imported so far; empty if all work."""
    return registry.failures()
