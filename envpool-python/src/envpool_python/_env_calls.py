# SPDX-License-Identifier: Apache-2.0
"""Calls of single environments, as `gymnasium.vector` has them: call, get_attr, set_attr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.errors import ConfigError, EnvIdError, shorten

_POOLS_OWN = ("reset", "step", "close")


class EnvCalls:
    """The additional methods of pools of environments written in Python."""

    compiled: Any
    env_type: str

    def __init__(self, spec: Any) -> None:
        """Builds the environments. Their spaces may differ with observation_mode="different"."""
        super().__init__(spec)  # type: ignore[call-arg]
        spaces = self.compiled.observation_spaces
        if spaces and self.env_type == "vector":
            from gymnasium.vector.utils import batch_differing_spaces

            # Replaces the property that derives it from one space.
            self.__dict__["observation_space"] = batch_differing_spaces(spaces)

    def call(self, name: str, *args: Any, env_ids: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of environments, or returns an attribute that is not callable.

        Args:
            name: Name of the method, of the environment or of an environment it wraps.
            *args: Arguments, which can be pickled.
            env_ids: The environments: an int or a list of ints; None: all.
            **kwargs: Arguments by name.

        Returns:
            The result of each environment.

        Raises:
            ConfigError: If the pool itself has the method, or an argument cannot be pickled.
            EnvIdError: If an id is out of range.
            StateError: If environments are in flight, or the pool is closed.
            WorkerError: If a method raised, or does not exist.
        """
        _check_name("call", name)
        if name in _POOLS_OWN:
            raise ConfigError(
                f"call({name!r})",
                f"{name!r}, after which the pool would not know the state of its environments",
                f"methods other than {', '.join(_POOLS_OWN)}",
                f"Call pool.{name}()",
            )
        ids = self._checked_ids(f"call({name!r}, ...)", env_ids)
        return tuple(self.compiled.call(call_method, ids, name, *args, **kwargs))

    def get_attr(self, name: str, env_ids: Any = None) -> tuple[Any, ...]:
        """The attribute of each environment, or of an environment it wraps; see `call`."""
        _check_name("get_attr", name)
        ids = self._checked_ids(f"get_attr({name!r})", env_ids)
        return tuple(self.compiled.call(get_attribute, ids, name))

    def set_attr(self, name: str, values: Any, env_ids: Any = None) -> None:
        """Sets an attribute in the environment, or in the wrapped environment that has it.

        Args:
            name: Name of the attribute.
            values: A list or tuple with a value for each environment, or one value for all.
            env_ids: The environments; None: all.

        Raises:
            ConfigError: If there are not as many values as environments, or one cannot be pickled.
            EnvIdError: If an id is out of range.
            StateError: If environments are in flight, or the pool is closed.
            WorkerError: If it could not be set.
        """
        _check_name("set_attr", name)
        ids = self._checked_ids(f"set_attr({name!r}, ...)", env_ids)
        if not isinstance(values, (list, tuple)):
            values = [values] * len(ids)
        if len(values) != len(ids):
            raise ConfigError(
                f"set_attr({name!r}, {shorten(values)})",
                f"{len(values)} values",
                f"{len(ids)}, one for each environment, or one that is no list or tuple",
                "Pass one value for each environment",
            )
        calls: list[tuple[int, Any, tuple[Any, ...], dict[str, Any]]] = [
            (env_id, set_attribute, (name, value), {})
            for env_id, value in zip(ids, values, strict=True)
        ]
        self.compiled.call_send(calls)
        self.compiled.call_fetch()

    def _checked_ids(self, asked: str, env_ids: Any) -> Sequence[int]:
        count = self.compiled.num_envs
        if env_ids is None:
            return range(count)
        try:
            ids = np.atleast_1d(np.asarray(env_ids))
        except Exception:  # user classes may raise any exception
            ids = np.zeros(0)
        if ids.size == 0 and isinstance(env_ids, (list, tuple, np.ndarray)):
            return []
        is_wrong = ids.ndim != 1 or ids.dtype.kind not in "iu" or len(set(ids.tolist())) < len(ids)
        if is_wrong or not 0 <= ids.min() <= ids.max() < count:
            raise EnvIdError(
                f"{asked} with env_ids={shorten(env_ids)}",
                shorten(env_ids),
                f"an int or a list of ints in 0 .. {count - 1}, each once",
                "Pass ids of this pool",
            )
        return ids.tolist()  # type: ignore[no-any-return]


def _check_name(call: str, name: object) -> None:
    if not isinstance(name, str):
        raise ConfigError(
            f"{call}({shorten(name)})", f"a {type(name).__name__}", "a str", "Pass a name"
        )


def get_attribute(env: Any, name: str) -> Any:
    """An attribute of an environment or of an environment it wraps."""
    if hasattr(env, "get_wrapper_attr"):
        return env.get_wrapper_attr(name)
    return getattr(env, name)


def set_attribute(env: Any, name: str, value: Any) -> None:
    """Sets an attribute in the environment, or in the wrapped environment that has it."""
    owner = env
    while name not in vars(owner) and "env" in vars(owner):
        owner = owner.env
    setattr(owner if hasattr(owner, name) else env.unwrapped, name, value)


def call_method(env: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Calls a method of an environment, or returns an attribute that is not callable."""
    found = get_attribute(env, name)
    return found(*args, **kwargs) if callable(found) else found
