# SPDX-License-Identifier: Apache-2.0
"""Recipes: how environments are made. They are pickled, and only workers call `make`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Recipe:
    """How environment i of a pool is made.

    Attributes:
        env_kind: "gymnasium", "parallel" or "aec"; "auto": as the environments are.
    """

    env_kind = "auto"

    def modules(self) -> list[str]:
        """Modules that all workers need and none of the user's, so that they can be imported once.

        A module of the user may draw random numbers when it is imported, so each worker imports it.
        """
        return []

    def make(self, env_id: int) -> Any:
        """A new environment."""
        raise NotImplementedError


@dataclass
class GymnasiumTask(Recipe):
    """What `gymnasium.make` makes.

    Attributes:
        task: An id, or a `gymnasium.envs.registration.EnvSpec`.
        kwargs: Arguments of `gymnasium.make`.
    """

    task: Any
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def modules(self) -> list[str]:
        """The module of an environment that Gymnasium brings."""
        entry = getattr(self.task, "entry_point", None)
        if not isinstance(entry, str) or not entry.startswith("gymnasium."):
            return []
        return [entry.partition(":")[0]]

    def make(self, env_id: int) -> Any:
        """A new environment; Gymnasium's checks are done by the first one only."""
        import gymnasium

        return gymnasium.make(
            self.task, disable_env_checker=True if env_id else None, **self.kwargs
        )


@dataclass
class Factories(Recipe):
    """What functions of the user's make: the i-th function environment i.

    Attributes:
        env_fns: Functions without arguments.
        env_kind: See `Recipe`.
    """

    env_fns: Sequence[Callable[[], Any]]
    env_kind: str = "auto"

    def make(self, env_id: int) -> Any:
        """What the function returns."""
        return self.env_fns[env_id]()
