# SPDX-License-Identifier: Apache-2.0
"""`make` and its relatives: from a task id to a pool."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, overload

from .._discovery.compiled import check_api, load_env, load_object
from .._discovery.registry import registry
from .._upstream.old_options import ENV_TYPES as OLD_ENV_TYPES
from ..errors import ConfigError, PluginError, shorten, suggest
from ..family import Prepared, Task

if TYPE_CHECKING:
    from .._specs.spec import EnvSpec
    from ..typing import CompiledEnv
    from .base import EnvPoolMixin
    from .dm import DmPool
    from .gymnasium import GymnasiumPool
    from .vector import VectorPool

ENV_TYPES = ("gymnasium", "vector", "dm")
AutoresetMode = Literal["next_step", "same_step", "disabled"]
RenderMode = Literal["rgb_array", "human", "ansi", "depth_array", "rgbd_tuple"] | None

_Options = ParamSpec("_Options")
_Made = TypeVar("_Made")


def _takes(
    options: Callable[_Options, None],
) -> Callable[[Callable[..., _Made]], Callable[_Options, _Made]]:
    """Gives a function the parameters of another, for editors and `help()`.

    The defaults are shown only; they are the defaults of most tasks, and a task may have others.
    """

    def takes(function: Callable[..., _Made]) -> Callable[_Options, _Made]:
        function.__wrapped__ = options  # type: ignore[attr-defined] # for inspect.signature
        return function

    return takes


# fmt: off
def _options(
    task_id: str, *, num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> None: ...
def _options_of_any(
    task_id: str, env_type: str = "gymnasium", *, num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> None: ...
# fmt: on


# fmt: off
@overload
def make(
    task_id: str, env_type: Literal["gymnasium", "gym"] = "gymnasium", *,
    num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> GymnasiumPool: ...
@overload
def make(
    task_id: str, env_type: Literal["vector"], *, num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> VectorPool: ...
@overload
def make(
    task_id: str, env_type: Literal["dm"], *, num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> DmPool: ...
@overload
def make(
    task_id: str, env_type: str, *, num_envs: int = 1, batch_size: int | None = None,
    num_threads: int | None = None, seed: int | Sequence[int] | None = 42,
    max_episode_steps: int | None = None, max_num_players: int = 1,
    thread_affinity_offset: int = -1, base_path: str | PathLike[str] | None = None,
    autoreset_mode: AutoresetMode = "next_step", render_mode: RenderMode = None,
    render_env_id: int | Sequence[int] | None = 0, render_width: int | None = None,
    render_height: int | None = None, render_camera_id: int | None = None, **config: Any,
) -> GymnasiumPool | VectorPool | DmPool: ...
# fmt: on


def make(task_id: str, env_type: str = "gymnasium", **config: Any) -> EnvPoolMixin:
    """Makes a pool of environments.

    Args:
        task_id: The task; `list_all_envs()` has all ids.
        env_type: The interface of the pool. "gymnasium": EnvPool's own, with the spaces of one
            environment and results for any subset of them; "vector": a strict
            `gymnasium.vector.VectorEnv`; "dm": a `dm_env.Environment`.
        **config: Options: those that every task has, which the signature shows with the defaults of
            most tasks, and the task's own, which `make_spec(task_id)` shows.

    Returns:
        The pool. Its environments are built, and not yet reset.

    Raises:
        UnknownTaskError: If no installed family has the task.
        ConfigError: If the env type or an option is unknown, of a wrong type or out of range.
        PluginError: If the family cannot be loaded.
        WorkerError: If an environment fails while it is built.
    """
    kind = _kind("make", task_id, env_type)
    spec, prepared = _prepare(task_id, config, build=True)
    from .pool_classes import pool_class

    cls = prepared.pools.get(kind)
    if isinstance(cls, str):
        cls = load_object(cls, task_id, _provider(spec.task))
    pool = (cls or pool_class(spec.env, kind, prepared.mixin))(spec)
    for name, method in prepared.methods.items():
        setattr(pool, name, method)
    return pool


make.__wrapped__ = _options_of_any  # type: ignore[attr-defined] # for inspect.signature


@_takes(_options)
def make_gymnasium(task_id: str, **config: Any) -> GymnasiumPool:
    """`make(task_id, "gymnasium", **config)`."""
    pool: GymnasiumPool = make(task_id, "gymnasium", **config)
    return pool


@_takes(_options)
def make_dm(task_id: str, **config: Any) -> DmPool:
    """`make(task_id, "dm", **config)`."""
    pool: DmPool = make(task_id, "dm", **config)
    return pool


@_takes(_options_of_any)
def make_spec(task_id: str, env_type: str = "gymnasium", **config: Any) -> EnvSpec:
    """Spaces, specs and options of a task, without building environments.

    Args:
        task_id: The task.
        env_type: As for `make`; the spec is the same for all.
        **config: Options, as for `make`.

    Raises:
        UnknownTaskError: If no installed family has the task.
        ConfigError: If the env type or an option is unknown, of a wrong type or out of range.
        PluginError: If the family cannot be loaded.
    """
    _kind("make_spec", task_id, env_type)
    return _prepare(task_id, config, build=False)[0]


def _kind(call: str, task_id: str, env_type: str) -> str:
    """The env type, or ours in place of a name of upstream."""
    kind = OLD_ENV_TYPES.get(env_type, env_type) if isinstance(env_type, str) else ""
    if kind not in ENV_TYPES:
        raise ConfigError(
            f"{call}({task_id!r}, env_type={shorten(env_type)})",
            shorten(env_type),
            ", ".join(map(repr, ENV_TYPES)),
            suggest(env_type, ENV_TYPES, "Pass one of these"),
        )
    return kind


def _prepare(task_id: str, config: Mapping[str, Any], build: bool) -> tuple[EnvSpec, Prepared]:
    """The spec of a pool, and the family's other answers."""
    from .._specs.options import check_not_fixed, check_types, real_names
    from .._specs.spec import spec_class

    task = registry.find(task_id)
    # Options are checked against the task's documentation here; its environment is not loaded yet.
    given = real_names(config, {**task.config_docs, **task.defaults, **task.options})
    check_not_fixed(task.fixed, given, f"make({task.id!r}, ")
    if given.get("base_path", "") is None:
        del given["base_path"]
    known = {**task.options, "base_path": ""}
    given = check_types(known, given, f"make({task.id!r}, ")
    if not given.get("base_path", "given"):
        del given["base_path"]  # it stands for the task's own
    try:
        prepared = registry.prepare(task, given, build) or Prepared(task.env, given)
    except PluginError as failure:
        raise _cause_of(failure, task, given) from failure.__cause__
    env = _load(task, prepared.env)
    _check_prepared(task, env, prepared.options, given)
    spec = spec_class(env)(dict(prepared.options), task, task_id, env)
    spec.notes = dict(prepared.notes)
    kwargs: dict[str, Any] = {**real_names(given, spec.options)}
    if kwargs.get("seed", 0) is None:
        kwargs["seed"] = spec.options["seed"]  # so that a copy has the seed that was drawn
    spec.kwargs = kwargs
    spec.make = functools.partial(make, task_id, **kwargs)
    spec.make_spec = functools.partial(make_spec, task_id, **kwargs)
    return spec, prepared


def _cause_of(failure: PluginError, task: Task, given: Mapping[str, object]) -> Exception:
    """The error to raise where a family fails: of an option's value, or of the family."""
    from .._specs.spec import spec_class

    if isinstance(failure.__cause__, (ImportError, SystemExit)):
        return failure
    try:
        env = _load(task, task.env)
        spec_class(env)(given, task, task.id, env)
    except ConfigError as wrong_type:
        return wrong_type
    except Exception:  # this error says less than the failure
        pass
    for key in given:
        try:
            registry.prepare(task, {name: given[name] for name in given if name != key}, False)
        except Exception:
            continue
        return ConfigError(
            f"make({task.id!r}, {key}={shorten(given[key])})",
            f"a value with which its family fails: {failure.got}",
            "values that it can use",
            f"Correct {key}, or leave it out",
        )
    return failure


def _load(task: Task, env: str | CompiledEnv) -> CompiledEnv:
    plugin = registry.origin(task)
    try:
        if isinstance(env, str):
            return load_env(env, task.id, _provider(task))
        check_api(env, getattr(env, "name", type(env).__name__), _provider(task))
        return env
    except PluginError as error:
        if plugin is not None:
            error.plugin, error.wheel, error.version = plugin.name, plugin.wheel, plugin.version
        raise


def _provider(task: Task | None) -> str:
    """The package to install again if a task cannot be loaded; empty: registered by hand."""
    plugin = registry.origin(task) if task is not None else None
    return plugin.provider if plugin is not None else ""


def _check_prepared(
    task: Task, env: CompiledEnv, options: Mapping[str, object], given: Mapping[str, object]
) -> None:
    """Raises PluginError when the family, not the user, sets an option that does not exist."""
    from .._specs.options import POOL_OPTIONS

    known = [*env.default_config(), *task.options, *POOL_OPTIONS, "reward_threshold"]
    for key, value in options.items():
        if key not in known and key not in given:
            raise PluginError(
                f"envpool_prepare() for task {task.id!r}",
                f"{key}={shorten(value)}",
                f"options of its environment: {', '.join(known)}",
                suggest(key, known, "Tell its authors"),
            )
