# SPDX-License-Identifier: Apache-2.0
"""`register`, which takes a `Task`, or upstream's names of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._discovery.registry import registry
from ..errors import ConfigError
from ..family import Prepare, Prepared, Task


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
    prepare: Prepare | None = None,
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
        prepare: A function of the task, the options and `build`, with the role of the hook
            `envpool_prepare` of a family.
        **defaults: Options of this task that differ from those of its environment.

    Raises:
        ConfigError: If the id is taken, or an argument is missing.
    """
    del gym_cls
    if isinstance(task, Task):
        registry.add(task, prepare)
        return
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
    env = f"{import_path}:{spec_cls}.env"
    pools = {"dm": f"{import_path}:{dm_cls}", "gymnasium": f"{import_path}:{gymnasium_cls}"}

    def with_classes(task: Task, options: Mapping[str, object], build: bool) -> Prepared:
        prepared = prepare(task, options, build) if prepare is not None else None
        prepared = prepared or Prepared(task.env, options)
        return prepared._replace(pools={**pools, **prepared.pools})

    registry.add(Task(task_id, env, aliases=tuple(aliases), **defaults), with_classes)
