# SPDX-License-Identifier: Apache-2.0
"""Plugin: an installed family, from the entry point in its wheel to the tasks that it has.

A wheel announces itself by an entry point of the group `envpool`. Its name is the family's, and the
registry finds the plugin of an id by it before any import: `toy/Walk-v0` and `ToyWalk-v0` probably
belong to the plugin toy. A family whose ids begin otherwise may name them, in patterns as the
shell's:

    [project.entry-points."envpool.ids"]
    "Walk*-v?" = "envpool_toy"

A wrong guess only costs the import of one more plugin.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..compared import Compared
from ..errors import EnvPoolError, PluginError, shorten
from ..family import STATUSES, Finding, Prepared, Task
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
        manager: Has pluggy call the hooks of this family; None before it is loaded. Every family
            has a manager of its own, so no hook is ever called for a task of another family.
        tasks: Its tasks by id and alias.
        found: Tasks that its list does not have, by id.
    """

    def __init__(self, entry: EntryPoint) -> None:
        """Keeps the names only."""
        self._entry = entry
        self.name = entry.name
        self.module = entry.value
        self.state = "found"
        self.manager: pluggy.PluginManager | None = None
        self.tasks: dict[str, Task] = {}
        self.found: dict[str, Task] = {}

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
        """The package to install again if the plugin is broken."""
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

    def load(self) -> None:
        """Imports the family; pluggy checks its hooks.

        A module that registers its tasks by hand while it is imported, as those of EnvPool's
        documentation do, needs no hook.

        Raises:
            PluginError: If anything fails; Ctrl-C is passed on.
        """
        if not re.fullmatch(r"\w+(\.\w+)*(:\w+(\.\w+)*)?", self.module):
            raise self.error(
                f"the entry point {self.name}",
                repr(self.module),
                "the name of a module",
                f"Correct it in the pyproject.toml of {self.provider}",
            )
        asked = f"import of {self.module}"
        imported_before = self._module_name in sys.modules
        try:
            family = self._entry.load()
            from .hooks import Family, new_manager  # importing them imports pluggy

            if isinstance(inside := getattr(family, "FAMILY", None), Family):
                family = inside
            manager = new_manager()
            manager.register(family, name=self.name)
            manager.check_pending()
        except PluginError:
            raise
        # A module that calls sys.exit() must not end a program that only looks for a task.
        except (Exception, SystemExit) as cause:
            raise self._failed(asked, cause) from cause
        if not (manager.get_hookcallers(family) or self.tasks or imported_before):
            raise self.error(
                asked,
                "a module without FAMILY and without a hook",
                "FAMILY = envpool.Family(...), or envpool_tasks() under `envpool.hookimpl`",
                "Add it, or remove the entry point",
            )
        self.manager = manager

    def list_tasks(self) -> list[Task]:
        """Asks the family for its tasks.

        Raises:
            PluginError: If anything fails; Ctrl-C is passed on.
        """
        if self.manager is None or not self.manager.hook.envpool_tasks.get_hookimpls():
            return []
        asked = f"envpool_tasks() of {self.module}"
        tasks: list[Task] = []
        try:
            for answer in self._call("envpool_tasks") or [None]:
                if answer is None or isinstance(answer, (str, Task)):
                    raise self._no_tasks(asked, answer, "an iterable of envpool.Task objects")
                for task in answer:
                    if not isinstance(task, Task):
                        raise self._no_tasks(asked, task, "envpool.Task objects")
                    tasks.append(task)
        except PluginError:
            raise
        except (Exception, SystemExit) as cause:
            raise self._failed(asked, cause) from cause
        return tasks

    def find(self, task_id: str) -> Task | None:
        """The task with a listed id, or with an id that begins with the name of the family.

        Raises:
            EnvPoolError: If the family raises one.
            PluginError: If the family raises another exception, or returns an object of a wrong
                type.
        """
        known = self.tasks.get(task_id) or self.found.get(task_id)
        if known is not None or not task_id.startswith(f"{self.name}:"):
            return known
        asked = f"envpool_task({task_id!r}) of {self.module}"
        try:
            task = self._call("envpool_task", task_id=task_id) or None
        except EnvPoolError:
            raise
        except (Exception, SystemExit) as cause:
            raise self._failed(asked, cause) from cause
        if task is None:
            return None
        if not isinstance(task, Task) or task.id != task_id:
            raise self.error(asked, shorten(task), "an envpool.Task of this id", "Tell its authors")
        return self.found.setdefault(task_id, task)

    def prepare(self, task: Task, options: Mapping[str, object], build: bool) -> Prepared | None:
        """Asks the family for the environment and the options of a pool.

        Raises:
            EnvPoolError: If the family raises one.
            PluginError: If the family raises another exception, or returns an object of a wrong
                type.
        """
        asked = f"envpool_prepare() of {self.module} for task {task.id!r}"
        try:
            answer = self._call("envpool_prepare", task=task, options=dict(options), build=build)
        except EnvPoolError:
            raise
        except (ImportError, SystemExit) as cause:
            raise self._failed(asked, cause) from cause
        except Exception as cause:
            raise self.error(
                asked,
                _text_of(cause),
                f"what {self.provider} brings, or finds on this machine",
                f"Install what is missing, or run `pip install --force-reinstall {self.provider}`",
            ) from cause
        problem = problem_of(answer)
        if problem:
            raise self.error(asked, problem, "an envpool.Prepared, or None", "Tell its authors")
        return answer  # type: ignore[no-any-return]

    def add_commands(self, app: typer.Typer) -> None:
        """Lets the family add its commands.

        Raises:
            PluginError: If the family raises an exception.
        """
        try:
            self._call("envpool_commands", app=app)
        except (Exception, SystemExit) as cause:
            raise self._failed(f"envpool_commands(app) of {self.module}", cause) from cause

    def findings(self) -> Iterator[Finding | Compared]:
        """The findings of the family for `envpool doctor`.

        Raises:
            PluginError: If the family raises an exception; its earlier findings come first.
        """
        asked = f"envpool_findings() of {self.module}"
        try:
            for findings in self._call("envpool_findings"):
                for finding in findings:
                    if not isinstance(finding, Finding | Compared) or (
                        isinstance(finding, Finding) and finding.status not in STATUSES
                    ):
                        raise self.error(
                            asked,
                            shorten(finding),
                            f"envpool.Finding objects whose status is {' or '.join(STATUSES)}, "
                            "and envpool.Compared",
                            "Yield one for each thing that was looked at",
                        )
                    yield finding
        except PluginError:
            raise
        except (Exception, SystemExit) as cause:
            raise self._failed(asked, cause) from cause

    def _call(self, hook: str, **arguments: object) -> Any:
        """The answer of pluggy to a hook's call; None for a family that is not loaded."""
        return [] if self.manager is None else getattr(self.manager.hook, hook)(**arguments)

    @property
    def _module_name(self) -> str:
        return self.module.partition(":")[0]

    def _failed(self, asked: str, cause: BaseException) -> PluginError:
        # The import takes a while, and is needed only after an error.
        from .import_errors import explain_import

        return self.error(asked, *explain_import(cause, self._module_name, self.provider))

    def _no_tasks(self, asked: str, got: object, allowed: str) -> PluginError:
        return self.error(asked, shorten(got), allowed, "Yield a Task for each id")


def problem_of(answer: object) -> str:
    """The error in an answer of `envpool_prepare`; empty: the answer is valid."""
    if answer is None:
        return ""
    if not isinstance(answer, Prepared):
        return shorten(answer)
    if not isinstance(answer.options, Mapping):
        return f"Prepared(options={shorten(answer.options)})"
    return ""


def _text_of(cause: BaseException) -> str:
    from .import_errors import place_of

    return f"{type(cause).__name__}: {cause}{place_of(cause)}"


def by_likelihood(
    plugins: Iterable[Plugin], hints: Iterable[EntryPoint], task_id: str
) -> list[Plugin]:
    """The plugins, the most likely owners of the task first.

    Args:
        plugins: All of them.
        hints: The entry points of the group `envpool.ids`.
        task_id: The id that the caller looks for.
    """
    family = family_of(task_id)
    modules = {hint.value for hint in hints if fnmatchcase(task_id, hint.name)}
    plain = _plain(task_id)

    def rank(plugin: Plugin) -> tuple[bool, int, str, str]:
        said = plugin.module in modules or plugin.name == family
        name = _plain(plugin.name)
        # The longer name wins: with plugins a and ab, abc-v0 belongs to ab.
        prefix = -len(name) if plain.startswith(name) else 0
        return not said, prefix, plugin.name, plugin.module

    return sorted(plugins, key=rank)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
