# SPDX-License-Identifier: Apache-2.0
"""`make` and its relatives: from a task id to a pool."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from .._discovery.compiled import check_api, load_object
from .._discovery.registry import registry
from ..errors import ConfigError, PluginError, suggest
from ..typing import CompiledEnv

if TYPE_CHECKING:
    from .._specs.spec import EnvSpec
    from ..family import Task
    from .base import EnvPoolMixin
    from .dm import DmPool
    from .gymnasium import GymnasiumPool
    from .vector import VectorPool

ENV_TYPES = ("gymnasium", "gym", "vector", "dm")


@overload
def make(
    task_id: str, env_type: Literal["gymnasium", "gym"] = "gymnasium", **config: Any
) -> GymnasiumPool: ...
@overload
def make(task_id: str, env_type: Literal["vector"], **config: Any) -> VectorPool: ...
@overload
def make(task_id: str, env_type: Literal["dm"], **config: Any) -> DmPool: ...
@overload
def make(task_id: str, env_type: str, **config: Any) -> EnvPoolMixin: ...


def make(task_id: str, env_type: str = "gymnasium", **config: Any) -> EnvPoolMixin:
    """Makes a pool of environments.

    Args:
        task_id: What to run; `list_all_envs()` has all ids.
        env_type: The interface of the pool. "gymnasium" (or "gym"): EnvPool's own, with the spaces
            of one environment and results for any subset of them; "vector": a strict
            `gymnasium.vector.VectorEnv`; "dm": a `dm_env.Environment`.
        **config: Options; every task has num_envs, batch_size, num_threads, seed,
            max_episode_steps, max_num_players, thread_affinity_offset, render_mode, render_env_id,
            render_width, render_height, render_camera_id and autoreset_mode, `make_spec(task_id)`
            shows the others.

    Returns:
        The pool. Its environments are built, and not yet reset.

    Raises:
        UnknownTaskError: If no installed family has the task.
        ConfigError: If the env type or an option is unknown, of a wrong type or out of range.
        PluginError: If the family cannot be loaded.
        WorkerError: If an environment fails while it is built.
    """
    if env_type not in ENV_TYPES:
        raise ConfigError(
            f"make({task_id!r}, env_type={env_type!r})",
            repr(env_type),
            ", ".join(map(repr, ENV_TYPES)),
            suggest(env_type, ENV_TYPES, "Pass one of these"),
        )
    spec = make_spec(task_id, **config)
    from .pool_classes import pool_class

    kind = "gymnasium" if env_type == "gym" else env_type
    assert spec.task is not None  # make_spec sets it
    by_hand = spec.task.pool_classes.get(kind)
    cls = load_object(by_hand, task_id) if by_hand else pool_class(spec.env, kind)
    return cls(spec)


def make_gymnasium(task_id: str, **config: Any) -> GymnasiumPool:
    """`make(task_id, "gymnasium", **config)`."""
    return make(task_id, "gymnasium", **config)


def make_gym(task_id: str, **config: Any) -> GymnasiumPool:
    """`make(task_id, "gym", **config)`, which is the same as "gymnasium"."""
    return make(task_id, "gym", **config)


def make_dm(task_id: str, **config: Any) -> DmPool:
    """`make(task_id, "dm", **config)`."""
    return make(task_id, "dm", **config)


def make_spec(task_id: str, **config: Any) -> EnvSpec:
    """Spaces, specs and options of a task, without building environments.

    Args:
        task_id: What would run.
        **config: Options, as for `make`.

    Raises:
        UnknownTaskError: If no installed family has the task.
        ConfigError: If an option is unknown, of a wrong type or out of range.
        PluginError: If the family cannot be loaded.
    """
    from .._specs.spec import EnvSpec, spec_class

    task = registry.find(task_id)
    env = load_env(task, task.pixels if _from_pixels(task, config) else task.env)
    cls = env if isinstance(env, type) and issubclass(env, EnvSpec) else spec_class(env)
    spec = cls(config, task, task_id)
    spec.make = functools.partial(make, task.id, **spec.kwargs)
    return spec


def load_env(task: Task, path: str = "") -> CompiledEnv | type[EnvSpec]:
    """Imports the compiled environment of a task, or the spec class that stands for it.

    Args:
        task: The task.
        path: `"module:Name"` of another environment of the task; empty: that of its own.

    Raises:
        PluginError: If it cannot be imported, or was built for another envpool-core.
    """
    plugin = registry.origin(task.id)
    wheel = plugin.wheel if plugin is not None else ""
    try:
        found = load_object(path or task.env, task.id, wheel)
        check_api(getattr(found, "env", found), path or task.env, wheel)
    except PluginError as error:
        if plugin is not None:
            error.plugin, error.version = plugin.name, plugin.version
        raise
    return found  # type: ignore[no-any-return]


def _from_pixels(task: Task, config: Mapping[str, Any]) -> bool:
    """Whether a pool has pictures as observations.

    Raises:
        ConfigError: If it has not, and options ask for several of them.
    """
    if not task.pixels:
        return False
    options = {**task.defaults, **config}
    if options.get("from_pixels", False):
        return True
    stack = options.get("frame_stack", 1)
    if stack != 1:
        raise ConfigError(
            f"make({task.id!r}, frame_stack={stack!r})",
            "a number of pictures for observations that are none",
            "frame_stack with from_pixels=True",
            "Pass from_pixels=True too, or leave frame_stack out",
        )
    return False
