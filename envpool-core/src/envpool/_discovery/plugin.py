# SPDX-License-Identifier: Apache-2.0
"""Plugin: an installed family, from the entry point in its wheel to the tasks that it has.

A wheel announces itself by an entry point of the group `envpool`. Its name is the family's, and
tells which plugin an id belongs to before any is imported: `toy/Walk-v0` and `ToyWalk-v0` are
probably the plugin toy's. A family whose ids begin otherwise may say how, in patterns as the
shell's:

    [project.entry-points."envpool.ids"]
    "Walk*-v?" = "envpool_toy"

A wrong guess costs nothing but the import of one more plugin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PluginError, shorten
from ..family import STATUSES, Finding, Task
from .known_families import family_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import pluggy
    import typer

GROUP = "envpool"
IDS_GROUP = "envpool.ids"


class Plugin:
    """One entry point of the group `envpool`.

    Attributes:
        name: Name of the family, as "classic".
        module: The module that implements the hooks.
        state: "found" (not imported yet), "loading", "loaded", "failed" or "disabled".
        task_ids: Ids of its tasks, aliases left out; empty before it is loaded.
    """

    def __init__(self, entry: EntryPoint) -> None:
        """Keeps the names only."""
        self._entry = entry
        self._commands: list[Callable[..., object]] = []
        self._findings: list[Callable[[], Any]] = []
        self.name = entry.name
        self.module = entry.value
        self.state = "found"
        self.task_ids: tuple[str, ...] = ()

    @cached_property
    def wheel(self) -> str:
        """The distribution that the entry point comes from; empty if unknown.

        Read when it is asked for: the metadata of a wheel can be long.
        """
        return self._entry.dist.name if self._entry.dist is not None else ""

    @cached_property
    def version(self) -> str:
        """The version of that distribution."""
        return self._entry.dist.version if self._entry.dist is not None else ""

    @property
    def provider(self) -> str:
        """What to install again if it is broken."""
        return self.wheel or self.module.partition(".")[0]

    def __str__(self) -> str:
        """Name, wheel and version, for messages."""
        origin = f" of {self.wheel} {self.version}" if self.wheel else ""
        return f"plugin {self.name!r}{origin}"

    def error(self, asked: str, got: str, allowed: str, then: str) -> PluginError:
        """An error that names this plugin, of the four parts of a message."""
        return PluginError(
            f"{self}: {asked}",
            got,
            allowed,
            then,
            plugin=self.name,
            wheel=self.wheel,
            version=self.version,
        )

    def load(self, manager: pluggy.PluginManager, registered: list[Task]) -> list[Task]:
        """Imports the module and asks it for its tasks.

        Args:
            manager: Knows the hooks, and checks those of the module.
            registered: Has the tasks that the module registers by hand while it is imported, as the
                modules of EnvPool's documentation do. Such a module needs no hook.

        Raises:
            PluginError: Whatever goes wrong, Ctrl-C excepted.
        """
        asked = f"import of {self.module}"
        if not re.fullmatch(r"\w+(\.\w+)*(:\w+)?", self.module):
            raise self.error(
                f"the entry point {self.name}",
                repr(self.module),
                "the name of a module",
                f"Correct it in the pyproject.toml of {self.provider}",
            )
        try:
            module = self._entry.load()
            asked = f"envpool_tasks() of {self.module}"
            return self._tasks(manager, module, registered)
        except PluginError:
            raise
        # A module that calls sys.exit() must not end a program that only asked for a task.
        except (Exception, SystemExit) as cause:
            name = self.module.partition(":")[0]
            raise self.error(asked, *_trouble(cause, name, self.provider)) from cause

    def _tasks(
        self, manager: pluggy.PluginManager, module: object, registered: list[Task]
    ) -> list[Task]:
        try:
            manager.register(module, name=f"{self.name} {self.module}")
            manager.check_pending()
        except Exception:
            if manager.is_registered(module):
                manager.unregister(module)
            raise
        callers = manager.get_hookcallers(module) or []
        own = {
            caller.name: [i.function for i in caller.get_hookimpls() if i.plugin is module]
            for caller in callers
        }
        if not own and not registered:
            raise self.error(
                f"import of {self.module}",
                "a module without a hook",
                "a function `envpool_tasks` under the decorator `envpool.hookimpl`",
                "Add it, or remove the entry point",
            )
        tasks: list[Task] = []
        for function in own.get("envpool_tasks", ()):
            answer: Any = function()
            if answer is None or isinstance(answer, (str, Task)):
                raise self._no_tasks(answer, "an iterable of envpool.Task objects")
            for task in answer:
                if not isinstance(task, Task):
                    raise self._no_tasks(task, "envpool.Task objects")
                tasks.append(task)
        self._commands = own.get("envpool_commands", [])
        self._findings = own.get("envpool_findings", [])
        return tasks

    def _no_tasks(self, got: object, allowed: str) -> PluginError:
        asked = f"envpool_tasks() of {self.module}"
        return self.error(asked, shorten(got), allowed, "Yield a Task for each id")

    def add_commands(self, app: typer.Typer) -> None:
        """Lets the plugin add its commands.

        Raises:
            PluginError: If it fails to.
        """
        try:
            for function in self._commands:
                function(app=app)
        except (Exception, SystemExit) as cause:
            asked = f"envpool_commands(app) of {self.module}"
            raise self.error(asked, *_trouble(cause, self.module, self.provider)) from cause

    def findings(self) -> Iterator[Finding]:
        """What the plugin has to say to `envpool doctor`.

        Raises:
            PluginError: If it fails to, after what it has said before.
        """
        asked = f"envpool_findings() of {self.module}"
        try:
            for function in self._findings:
                for finding in function():
                    if not isinstance(finding, Finding) or finding.status not in STATUSES:
                        raise self.error(
                            asked,
                            shorten(finding),
                            f"envpool.Finding objects whose status is {' or '.join(STATUSES)}",
                            "Yield one for each thing that was looked at",
                        )
                    yield finding
        except PluginError:
            raise
        except (Exception, SystemExit) as cause:
            raise self.error(asked, *_trouble(cause, self.module, self.provider)) from cause


def by_likelihood(
    plugins: Iterable[Plugin], hints: Iterable[EntryPoint], task_id: str
) -> list[Plugin]:
    """The plugins, those that probably have the task first.

    Args:
        plugins: All of them.
        hints: The entry points of the group `envpool.ids`.
        task_id: The id that is looked for.
    """
    family = family_of(task_id)
    modules = {hint.value for hint in hints if fnmatchcase(task_id, hint.name)}
    plain = _plain(task_id)

    def rank(plugin: Plugin) -> tuple[bool, int]:
        said = plugin.module in modules or plugin.name == family
        name = _plain(plugin.name)
        # Of the plugins a and ab, abc-v0 is rather of ab.
        return not said, -len(name) if plain.startswith(name) else 0

    return sorted(plugins, key=rank)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _trouble(cause: BaseException, module: str, wheel: str) -> tuple[str, str, str]:
    from .import_errors import trouble  # needed, and slow to import, only when something is wrong

    return trouble(cause, module, wheel)
