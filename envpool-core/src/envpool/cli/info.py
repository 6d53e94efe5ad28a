# SPDX-License-Identifier: Apache-2.0
"""`envpool info`: the arrays of a task's environments, its options, and its abilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table
from rich.text import Text

from .._discovery.registry import registry
from .._pools.make import make_spec
from .._specs.arrays import split
from .._specs.options import POOL_OPTIONS, known_options
from .._upstream.old_options import OPTIONS as OLD_OPTIONS
from ._option_docs import COMMON, OF_MANY_TASKS, POOL
from ._output import grid, print_json, show
from ._tasks import AsJson, Settings, TaskId, compiler_of, find, parse

if TYPE_CHECKING:
    from .._specs.arrays import ArraySpec
    from .._specs.spec import EnvSpec
    from ..family import Task

# Longer bounds are shown as their extremes.
_MOST_BOUNDS = 6
_NO_LIMIT = 2**31 - 1


def info(task_id: TaskId, settings: Settings = None, as_json: AsJson = False) -> None:
    """Show a task: its arrays, its options and what it can do."""
    task = find(task_id)
    given = parse(settings)
    known = facts(task, make_spec(task_id, **given))
    if as_json:
        print_json(known)
        return
    description = [Text(task.description)] if task.description else []
    show(Text(task.id, "bold green"), *description, _head(task, known))
    for title in ("observation", "action", "info"):
        show(f"\n[bold]{title.title()}[/]", _arrays(known[title]))
    for title, wanted in (
        ("Options of the task", "task"),
        ("Options of every task", "common"),
        ("Options of drawing and resets", "pool"),
    ):
        options = [option for option in known["options"] if option["of"] == wanted]
        if options:
            show(f"\n[bold]{title}[/]", _option_table(options, given))


def facts(task: Task, spec: EnvSpec) -> dict[str, Any]:
    """All facts about a task, as `--json` prints them."""
    plugin = registry.origin(task)
    state = spec.state_array_spec
    return {
        "id": task.id,
        "aliases": task.aliases,
        "description": task.description,
        "deprecated": str(task.deprecated) if task.deprecated else None,
        "family": plugin.name if plugin else None,
        "wheel": plugin.wheel if plugin else None,
        "version": plugin.version if plugin else None,
        "environment": task.env,
        "api_version": spec.env.api_version,
        "compiler": compiler_of(spec.env),
        "files": spec.options["base_path"] or None,
        "max_episode_steps": None
        if spec.max_episode_steps == _NO_LIMIT
        else spec.max_episode_steps,
        "reward_threshold": spec.reward_threshold,
        "renders": spec.env.renders,
        "saves": spec.env.saves,
        "step_kind": spec.env.step_kind,
        "pixels": "from_pixels" in spec.options,
        "observation_space": " ".join(str(spec.observation_space).split()),
        "action_space": " ".join(str(spec.action_space).split()),
        "notes": dict(spec.notes),
        "observation": [_array(a) for name, a in state.items() if split(name)[0] == "obs"],
        "action": [_array(a) for a in spec.own_actions.values()],
        "info": [
            _array(a)
            for name, a in state.items()
            if split(name)[0] == "info" or name == "elapsed_step"
        ],
        "options": _options(task, spec),
    }


def _array(spec: ArraySpec) -> dict[str, Any]:
    group, path = split(spec.name)
    return {
        "name": path or group,
        "dtype": str(spec.dtype),
        "shape": spec.item_shape,
        "per_player": spec.per_player,
        "dynamic": spec.dynamic,
        "choices": spec.choices[1] if spec.choices else None,
        "bounds": _bounds(spec),
        "low": _short(spec.minimum),
        "high": _short(spec.maximum),
    }


def _short(bound: Any) -> Any:
    """A single number if all elements are equal."""
    if bound.size == 0:
        return None
    return bound.flat[0] if (bound == bound.flat[0]).all() else bound


def _bounds(spec: ArraySpec) -> str:
    low, high = _short(spec.minimum), _short(spec.maximum)
    if low is None:
        return "empty"
    if spec.dtype.kind == "b":
        return "False or True"
    if spec.dtype.kind == "f" and np.isneginf(low).all() and np.isposinf(high).all():
        return "unbounded"
    if spec.dtype.kind in "iu":
        limits = np.iinfo(spec.dtype)
        if np.all(low == limits.min) and np.all(high == limits.max) and spec.dtype.itemsize > 1:
            return f"any {spec.dtype}"
    return f"{_words(low)} .. {_words(high)}"


def _words(bound: Any) -> str:
    if np.ndim(bound) == 0:
        return f"{bound:g}" if np.asarray(bound).dtype.kind == "f" else str(bound)
    if bound.size <= _MOST_BOUNDS:
        return f"[{', '.join(_words(value) for value in bound.flat)}]"
    return f"({_words(bound.min())} to {_words(bound.max())})"


def _options(task: Task, spec: EnvSpec) -> list[dict[str, Any]]:
    defaults = known_options(spec.env.default_config(), task.defaults, task.id, task.options)
    documented = {**COMMON, **POOL, **OF_MANY_TASKS, **task.config_docs}
    return [
        {
            "key": key,
            "default": defaults[key],
            "value": value,
            "of": "pool" if key in POOL_OPTIONS else "common" if key in COMMON else "task",
            "meaning": documented.get(key, ""),
        }
        for key, value in spec.options.items()
        if key not in OLD_OPTIONS
    ]


def _head(task: Task, facts: dict[str, Any]) -> Table:
    steps, threshold = facts["max_episode_steps"], facts["reward_threshold"]
    abilities = [
        text
        for key, text in (
            ("renders", "draw itself"),
            ("saves", "save and load its state"),
            ("pixels", "be seen by its images (from_pixels=True)"),
        )
        if facts[key]
    ]
    origin = f"{facts['family']}, from {facts['wheel']} {facts['version']}"
    compiled = f"interface {facts['api_version']}, compiled by {facts['compiler']}"
    table = grid()
    table.add_column(style="dim", no_wrap=True)
    for label, text in (
        ("also known as", ", ".join(task.aliases)),
        ("deprecated", facts["deprecated"]),
        ("family", origin if facts["family"] else "registered by hand"),
        ("environment", f"{task.env} ({compiled})"),
        ("files", facts["files"]),
        ("episode", "without a limit" if steps is None else f"at most {steps} steps"),
        ("solved at", None if threshold is None else f"a mean return of {threshold:g}"),
        ("can", "; ".join(abilities) or "neither draw itself nor save its state"),
        ("step kind", facts["step_kind"]),
        ("observations", facts["observation_space"]),
        ("actions", facts["action_space"]),
        *facts["notes"].items(),
    ):
        if text:
            table.add_row(label, Text(text))
    return table


def _arrays(arrays: list[dict[str, Any]]) -> Table:
    table = grid()
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for array in arrays:
        notes = array["bounds"]
        notes += f" ({array['choices']} choices)" if array["choices"] else ""
        notes += ", arrays of their own shape" if array["dynamic"] else ""
        shape = ", ".join(map(str, array["shape"])) + ("," if len(array["shape"]) == 1 else "")
        player = " per player" if array["name"].startswith("players.") else ""
        table.add_row(array["name"], array["dtype"], f"({shape}){player}", Text(notes))
    return table


def _option_table(options: list[dict[str, Any]], given: dict[str, Any]) -> Table:
    table = grid()
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold", max_width=24)
    table.add_column(style="dim")
    for option in options:
        key = option["key"]
        value = option["value" if key in given else "default"]
        no_limit = key == "max_episode_steps" and value == _NO_LIMIT
        text = Text("no limit" if no_limit else repr(value), "bold" if key in given else "")
        table.add_row(key, text, Text(option["meaning"]))
    return table
