# SPDX-License-Identifier: Apache-2.0
"""Recipes of environments. They are pickled, and only workers call `make`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Recipe:
    """The way to make environment i of a pool.

    Attributes:
        env_kind: "gymnasium", "parallel" or "aec"; "auto": by the environment's class.
    """

    env_kind = "auto"

    def modules(self) -> list[str]:
        """Modules that all workers need, without user modules, so that they can be imported once.

        A user module may draw random numbers during its import, so each worker imports it.
        """
        return []

    def make(self, env_id: int) -> Any:
        """A new environment."""
        raise NotImplementedError


@dataclass
class GymnasiumTask(Recipe):
    """Environments of `gymnasium.make`.

    Attributes:
        task: An id, or a `gymnasium.envs.registration.EnvSpec`.
        kwargs: Arguments of `gymnasium.make`.
    """

    task: Any
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def modules(self) -> list[str]:
        """The module of one of Gymnasium's own environments."""
        entry = getattr(self.task, "entry_point", None)
        if not isinstance(entry, str) or not entry.startswith("gymnasium."):
            return []
        return [entry.partition(":")[0]]

    def make(self, env_id: int) -> Any:
        """A new environment; only the first one runs Gymnasium's checks."""
        import gymnasium

        return gymnasium.make(
            self.task, disable_env_checker=True if env_id else None, **self.kwargs
        )


@dataclass
class Factories(Recipe):
    """Environments that the user's functions return: the i-th function makes environment i.

    Attributes:
        env_fns: Functions without arguments.
        env_kind: See `Recipe`.
    """

    env_fns: Sequence[Callable[[], Any]]
    env_kind: str = "auto"

    def make(self, env_id: int) -> Any:
        """The function's environment."""
        return self.env_fns[env_id]()
