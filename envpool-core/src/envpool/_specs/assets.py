# SPDX-License-Identifier: Apache-2.0
"""What a family prepares before its environments are built: files, pictures, things to download.

`Task(assets="module:function")` names a function that is called with the options of a pool, as a
dict. It may return options, as `{"base_path": ...}`, which count where the user gave none; and it
raises where something is missing, best FileNotFoundError or one of `envpool.errors`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from .._discovery.compiled import load_object
from ..errors import EnvPoolError, PluginError, shorten
from ..family import Task
from .options import known_options

_answers: dict[tuple[str, str], dict[str, object]] = {}
# Held while a function runs, so that it runs once; by one thread twice if it makes another task.
_lock = threading.RLock()


def prepared(
    task: Task, options: Mapping[str, object], given: Mapping[str, object]
) -> dict[str, object]:
    """The options that the family's function sets; it is called once in a process for each task.

    Args:
        task: The task; nothing is done if it has no assets, or none that these options need.
        options: All options of the pool.
        given: Those that the user set, which are left alone.

    Raises:
        PluginError: If the function failed, or returned something else than options. The next pool
            tries again.
    """
    draws = options["render_mode"] is not None or options.get("from_pixels")
    if not task.assets or (task.assets_for == "pictures" and not draws):
        return {}
    key = (task.assets, task.id)
    with _lock:
        if key not in _answers:
            _answers[key] = _ask(task, options)
    return {name: value for name, value in _answers[key].items() if name not in given}


def _ask(task: Task, options: Mapping[str, object]) -> dict[str, object]:
    from .._discovery.registry import registry

    plugin = registry.origin(task.id)
    wheel = plugin.wheel if plugin is not None else task.assets.partition(".")[0].partition(":")[0]
    name = plugin.name if plugin is not None else ""
    function = load_object(task.assets, task.id, wheel)
    try:
        answer: Any = function(dict(options))
        if answer is None:
            return {}
        if not isinstance(answer, Mapping):
            raise PluginError(
                f"{task.assets}, the assets of task {task.id!r}",
                shorten(answer),
                "a dict of options, or None",
                "Tell its authors, or correct the function",
                plugin=name,
                wheel=wheel,
            )
        checked = known_options(options, answer, task.id)
        return {key: checked[key] for key in answer}
    except EnvPoolError:
        raise
    except Exception as cause:
        raise PluginError(
            f"{task.assets}, the assets of task {task.id!r}",
            f"{type(cause).__name__}: {cause}",
            f"what {wheel} brings, or finds on this machine",
            f"Install what is missing, or run `pip install --force-reinstall {wheel}`",
            plugin=name,
            wheel=wheel,
        ) from cause
