# SPDX-License-Identifier: Apache-2.0
"""Arguments of several commands: a task and its options; and the lookup of a task."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._discovery.registry import registry
from ..errors import UnknownTaskError
from ._output import count

if TYPE_CHECKING:
    from ..family import Task
    from ..typing import CompiledEnv


def ids_like(start: str) -> list[str]:
    """The completions of a task id for the shell.

    Args:
        start: The beginning that the user has typed.
    """
    return [
        name for name in registry.list_all_envs() if name.casefold().startswith(start.casefold())
    ]


TaskId = Annotated[
    str,
    typer.Argument(metavar="TASK", help="A task id, as CartPole-v1.", autocompletion=ids_like),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="An option of the task, as frame_skip=4; may be given several times.",
    ),
]


def find(task_id: str) -> Task:
    """The task of an id.

    Raises:
        UnknownTaskError: If no task has the id; one line, with the remedy.
    """
    try:
        return registry.find(task_id)
    except UnknownTaskError:
        raise UnknownTaskError(_unknown(task_id)) from None


def _unknown(task_id: str) -> str:
    then = registry.advice(task_id, "see `envpool list-envs`")
    broken = len(registry.failures())
    hint = f" (not working: {count(broken, 'plugin')}, see `envpool doctor`)" if broken else ""
    return f"there is no task {task_id!r}: {then}{hint}"


def compiler_of(env: CompiledEnv) -> str:
    """The compiler of an environment; gcc's description of itself lacks its name."""
    return f"gcc {env.compiler}" if env.compiler[:1].isdigit() else env.compiler


def parse(settings: list[str] | None) -> dict[str, Any]:
    """Options from `--set key=value`: a Python literal, else a string.

    Raises:
        typer.BadParameter: If a setting has no "=".
    """
    config: dict[str, Any] = {}
    for setting in settings or ():
        key, equals, text = setting.partition("=")
        if not (key and equals):
            raise typer.BadParameter(f"{setting!r} is not KEY=VALUE", param_hint="--set")
        try:
            config[key] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            config[key] = {"true": True, "false": False, "none": None}.get(text.lower(), text)
    return config
