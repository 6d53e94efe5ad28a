# SPDX-License-Identifier: Apache-2.0
"""`envpool list-envs`: all tasks, by family, and the wheel of each family."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from .._discovery.registry import registry
from ..errors import PluginError, UnknownTaskError, suggest
from ._output import count, errors, grid, print_json, show
from ._tasks import AsJson

if TYPE_CHECKING:
    from .._discovery.plugin import Plugin
    from ..family import Task

Group = tuple["Plugin | None", list["Task"]]


def list_envs(
    pattern: Annotated[
        str,
        typer.Argument(
            metavar="[PATTERN]",
            help="Only ids with this text in them, or like this pattern of the shell: '*-v5'.",
            show_default=False,
        ),
    ] = "",
    family: Annotated[
        str | None, typer.Option("--family", "-f", metavar="FAMILY", help="Only this family.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List all tasks, by family; or those whose id or alias fits a pattern, in any case."""
    groups = _matching(_groups(family), pattern) if pattern else _groups(family)
    if as_json:
        print_json([_facts(plugin, task) for plugin, tasks in groups for task in tasks])
        return
    for number, (plugin, tasks) in enumerate(groups):
        show(*([""] if number else []), *_family(plugin, tasks))
    if not groups:
        show("No family has tasks. Run `pip install envpool-classic` for a start.")
    broken = len(registry.failures())
    if broken:
        text = f"Not working: {count(broken, 'plugin')}; `envpool doctor` says why."
        errors().print(f"\n[yellow]{text}[/]")


def _groups(family: str | None) -> list[Group]:
    tasks = registry.tasks()
    plugins: list[Plugin | None] = [*registry.plugins(), None]
    groups = [
        (plugin, [task for task in tasks if registry.origin(task.id) is plugin])
        for plugin in plugins
        if family is None or (plugin is not None and plugin.name == family)
    ]
    if family is not None and not groups:
        names = [plugin.name for plugin in registry.plugins()]
        raise PluginError(
            f"list-envs --family {family}",
            "a family that is not installed",
            ", ".join(names) or "none: no family is installed",
            suggest(family, names, "Leave --family out to see all tasks"),
            plugin=family,
        )
    return [(plugin, tasks) for plugin, tasks in groups if tasks]


def _matching(groups: list[Group], pattern: str) -> list[Group]:
    wanted = pattern.casefold()
    if not any(sign in wanted for sign in "*?["):
        wanted = f"*{wanted}*"

    def fits(task: Task) -> bool:
        return any(fnmatchcase(name.casefold(), wanted) for name in task.names)

    fitting = [(plugin, [task for task in tasks if fits(task)]) for plugin, tasks in groups]
    if not any(tasks for _, tasks in fitting):
        names = [name for _, tasks in groups for task in tasks for name in task.names]
        raise UnknownTaskError(
            f"list-envs {pattern}",
            "a pattern that no id is like",
            f"parts of the {len(names)} ids, or patterns with * and ?",
            suggest(pattern, names, "Leave it out to see all tasks"),
        )
    return [(plugin, tasks) for plugin, tasks in fitting if tasks]


def _facts(plugin: Plugin | None, task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "aliases": task.aliases,
        "description": task.description,
        "deprecated": str(task.deprecated) if task.deprecated else None,
        "family": plugin.name if plugin else None,
        "wheel": plugin.wheel if plugin else None,
        "version": plugin.version if plugin else None,
    }


def _family(plugin: Plugin | None, tasks: list[Task]) -> tuple[RenderableType, ...]:
    size = count(len(tasks), "task")
    name, origin = ("by hand", "") if plugin is None else (plugin.name, f"{_wheel(plugin)}, ")
    table = grid()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for task in tasks:
        text = Text(task.description)
        notes = [f"also {', '.join(task.aliases)}"] if task.aliases else []
        notes += [f"deprecated: {task.deprecated}"] if task.deprecated else []
        text.append(f" ({'; '.join(notes)})" if notes else "", "dim")
        table.add_row(Text(task.id, "green"), text)
    return f"[bold cyan]{escape(name)}[/]  [dim]{escape(origin)}{size}[/]", table


def _wheel(plugin: Plugin) -> str:
    return f"{plugin.wheel} {plugin.version}" if plugin.wheel else plugin.module
