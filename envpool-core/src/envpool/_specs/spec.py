# SPDX-License-Identifier: Apache-2.0
"""EnvSpec: the options of a pool, and the arrays that its environments read and write."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .._upstream.old_members import OldSpecMembers
from ..errors import ConfigError, shorten
from ..typing import CompiledEnv
from .arrays import ArraySpec, named_tuple_of
from .options import (
    POOL_OPTIONS,
    check_documented,
    check_known,
    complete,
    known_options,
    real_names,
    reworded,
)

if TYPE_CHECKING:
    from gymnasium import Space

    from ..family import Task


class EnvSpec(OldSpecMembers):
    """The result of `make_spec`: everything about a pool except the pool itself.

    Every compiled environment has a subclass of its own, as `CartPoleEnvSpec`.

    Attributes:
        id: The task id. May be set, as may the next two: other libraries do.
        reward_threshold: The mean return at which the task counts as solved, or None.
        max_episode_steps: Steps after which an episode is truncated.
        task: The task, or None if the spec was not made for one.
        options: All options by name.
        env_options: The options that the compiled environment knows, as it read them.
        kwargs: The options that were given and are not defaults.
        notes: Additional lines of `envpool info`, by short titles.
        make: Makes a pool of the same task and options, as `spec.make(env_type="dm")`; None if the
            spec was made from a class.
        make_spec: Makes an equal spec again; None if the spec was made from a class.
        state_array_spec: Every array of the state by its full name, as "info:env_id" or "obs".
        action_array_spec: Every array of an action by its full name.
        additional_wrappers: Always empty; Gymnasium's wrappers add themselves to a copy.
    """

    env: ClassVar[CompiledEnv]
    _config_keys: ClassVar[list[str]]
    _default_config_values: ClassVar[tuple[object, ...]]

    def __init__(
        self,
        config: Mapping[str, object] | tuple[object, ...] = (),
        task: Task | None = None,
        task_id: str = "",
        env: CompiledEnv | None = None,
    ) -> None:
        """Completes and checks the options, and asks the environment for its arrays.

        Args:
            config: Options by name, or the result of `gen_config`; the others have their defaults.
            task: The task that may set other defaults.
            task_id: The id that the user gave, if it is an alias.
            env: The environment, if it equals the class's environment but is another object.

        Raises:
            ConfigError: If an option is unknown, of a wrong type or out of range.
            PluginError: If the task has a default for an option that does not exist.
        """
        if env is not None:
            self.env = env  # type: ignore[misc]
        name = type(self).__name__
        call = f"{name}(" if task is None else f"make({task.id!r}, "
        env_defaults = self.env.default_config()
        task_defaults = {} if task is None else task.defaults
        own = {} if task is None else task.options
        known = known_options(env_defaults, task_defaults, name if task is None else task.id, own)
        if task is not None:
            check_documented(known, task.config_docs, task.id)
        self.kwargs: dict[str, Any] = as_dict(config, known, call)
        infinite = () if task is None else task.infinite
        ranges = self.env.option_ranges
        options = complete(known, self.kwargs, ranges, call, own=own, infinite=infinite)
        env_options = {key: options[key] for key in env_defaults}
        for key, value in env_options.items():
            if value is None:  # an option of the pool that the environment reads, too
                env_options[key] = env_defaults[key]
        try:
            env_options, state, action = self.env.describe(env_options)
        except ConfigError as error:
            raise reworded(error, env_options, call) from None
        self.env_options = env_options
        fixed = () if task is None else task.fixed
        self.options: dict[str, Any] = {
            key: env_options[key] if key in env_options and value is not None else value
            for key, value in options.items()
            if key not in fixed
        }
        self.task = task
        self.id = task_id or (task.id if task is not None else name.removesuffix("EnvSpec"))
        self.reward_threshold: float | None = self.options.get("reward_threshold")
        self.max_episode_steps: int = self.options["max_episode_steps"]
        self.state_array_spec = {array[0]: ArraySpec.from_compiled(array) for array in state}
        self.action_array_spec = {array[0]: ArraySpec.from_compiled(array) for array in action}
        self.additional_wrappers: tuple[object, ...] = ()
        self.notes: Mapping[str, str] = {}
        self.make: Callable[..., Any] | None = None
        self.make_spec: Callable[..., EnvSpec] | None = None

    @classmethod
    def gen_config(cls, **options: object) -> Any:
        """The options as a namedtuple, for the constructor: `Spec(Spec.gen_config(num_envs=4))`.

        Raises:
            ConfigError: If an option is unknown.
        """
        known = dict(zip(cls._config_keys, cls._default_config_values, strict=True))
        call = f"{cls.__name__}.gen_config("
        given = as_dict(options, known, call)
        check_known(known, given, call)
        return _config_tuple(known | given)

    @property
    def config(self) -> Any:
        """All options as a namedtuple; a dot in the name of an option becomes an underscore."""
        return _config_tuple(self.options)

    @property
    def observation_space(self) -> Space[Any]:
        """Gymnasium space of one environment's observation."""
        space = self.env.observation_space
        if space is not None:
            return space  # type: ignore[no-any-return]
        from .spaces import observation_space

        return observation_space(self.state_array_spec)

    @property
    def action_space(self) -> Space[Any]:
        """Gymnasium space of one environment's action."""
        space = self.env.action_space
        if space is not None:
            return space  # type: ignore[no-any-return]
        from .spaces import action_space

        return action_space(self.own_actions)

    def observation_spec(self) -> Any:
        """dm_env specs of one environment's observation: a namedtuple State."""
        from .dm_specs import observation_spec

        return observation_spec(self.state_array_spec)

    def action_spec(self) -> Any:
        """dm_env spec of one environment's action: a spec, or a namedtuple Action of several."""
        from .dm_specs import action_spec

        return action_spec(self.own_actions)

    @property
    def own_actions(self) -> dict[str, ArraySpec]:
        """The arrays of an action that the environment itself describes: all but ids."""
        return {name: array for name, array in self.action_array_spec.items() if array.own}

    def check_memory(self) -> None:
        """Raises ConfigError if a batch of results takes more than a quarter of the memory."""
        players: int = self.options["max_num_players"]
        rows: int = self.options["batch_size"]
        need = rows * sum(
            spec.item_bytes * (players if spec.per_player else 1)
            for spec in self.state_array_spec.values()
        )
        # A pool has at least two batches, one that is read and one that is written; and a space has
        # arrays of bounds as large as an observation.
        most = _physical_memory() / 4
        if need > most:
            raise ConfigError(
                f"make({self.id!r}, batch_size={rows})",
                f"results of {need / 2**30:.1f} GiB in one batch",
                f"{most / 2**30:.1f} GiB, a quarter of the memory of this machine",
                "Pass a smaller batch_size, or num_envs if they are the same",
            )

    def __repr__(self) -> str:
        """The options of the environment, and those of the pool that are not the default."""
        return f"{type(self).__name__}({self.options_text()})"

    def options_text(self) -> str:
        """The options in the form of a repr."""
        shown = {
            key: value
            for key, value in self.options.items()
            if key in self.env_options or value != POOL_OPTIONS.get(key)
        }
        return ", ".join(f"{key}={value!r}" for key, value in shown.items())

    def __reduce__(self) -> Any:
        """Copies and pickles as the recipe: task and options, and the attributes set since."""
        if self.make_spec is None:
            return functools.partial(object.__new__, type(self)), (), vars(self)
        state = {
            key: getattr(self, key)
            for key in ("id", "reward_threshold", "max_episode_steps", "additional_wrappers")
        }
        return self.make_spec, (), state


def as_dict(
    config: Mapping[str, object] | tuple[object, ...], known: Mapping[str, object], call: str
) -> dict[str, object]:
    """Options by their real names, from any accepted form.

    Args:
        config: A dict, the result of `gen_config`, or a tuple of all values.
        known: All options, with their defaults.
        call: The call for error messages.

    Raises:
        ConfigError: If it is another object.
    """
    if hasattr(config, "_asdict"):
        config = config._asdict()
    if isinstance(config, tuple) and len(config) in (0, len(known)):
        return dict(zip(known, config, strict=False))
    if not isinstance(config, Mapping):
        raise ConfigError(
            f"{call}config)",
            shorten(config),
            f"a dict of options, or a tuple of all {len(known)} values",
            "Pass what gen_config() returns",
        )
    return real_names(config, known)


def _config_tuple(config: Mapping[str, object]) -> Any:
    fields = tuple(key.replace(".", "_") for key in config)
    return named_tuple_of("Config", fields, config.values())


def _physical_memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # this system does not report its memory
        return float("inf")


def stem(env: CompiledEnv) -> str:
    """The name of an environment without the affixes of EnvPool's documentation."""
    return env.name.lstrip("_").removesuffix("EnvSpec").removesuffix("EnvPool")


@functools.cache
def spec_class(env: CompiledEnv) -> type[EnvSpec]:
    """The spec class of a compiled environment, as `CartPoleEnvSpec`."""
    known = known_options(env.default_config(), {}, env.name)
    attributes = {
        "__doc__": f"Options and arrays of pools of {stem(env)}.",
        "__module__": __name__,
        "env": env,
        "_config_keys": list(known),
        "_default_config_values": tuple(known.values()),
    }
    return type(f"{stem(env)}EnvSpec", (EnvSpec,), attributes)
