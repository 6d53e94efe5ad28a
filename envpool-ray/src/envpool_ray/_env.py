# SPDX-License-Identifier: Apache-2.0
"""RayEnv: what stands for the environments of actors where others have a compiled one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import ConfigError

from ._batch import RESTARTED
from ._settings import Recipe, Settings

if TYPE_CHECKING:
    from envpool import EnvSpec

    from ._pool import RayPool


class RayEnv:
    """A `CompiledEnv` (see `envpool.typing`): the one that actors make, with one more array."""

    def __init__(self, spec: EnvSpec, recipe: Recipe) -> None:
        """Starts nothing.

        Args:
            spec: Of the whole pool, as if it were in this process.
            recipe: What actors make.
        """
        self._inner: Any = spec.env
        self._recipe = recipe
        self.name = f"Ray{self._inner.name}"
        self.compiler = self._inner.compiler
        self.api_version = self._inner.api_version
        self.step_kind = self._inner.step_kind
        self.renders, self.saves = bool(self._inner.renders), bool(self._inner.saves)
        self.option_ranges = self._inner.option_ranges
        # Of environments in Python these are known when one was made, and maybe never.
        for name in ("observation_space", "action_space"):
            if hasattr(self._inner, name):
                setattr(self, name, getattr(self._inner, name))

    def __eq__(self, other: object) -> bool:
        """Whether pools of both are of one class: those of one environment."""
        return isinstance(other, RayEnv) and self._inner == other._inner

    def __hash__(self) -> int:
        """Of what `==` looks at."""
        return hash(("ray", self._inner))

    def default_config(self) -> dict[str, object]:
        """All options of the environment by name, with their defaults."""
        return dict(self._inner.default_config())

    def describe(self, config: dict[str, object], /) -> tuple[dict[str, object], Any, Any]:
        """The options, the arrays of the state and those of an action."""
        options, state, action = self._inner.describe(config)
        one: Any = (RESTARTED, np.dtype(np.bool_), (), np.False_, np.True_, False, (), True)
        return options, [*state, one], action

    def make(self, config: dict[str, object], task_id: str, autoreset_mode: str, /) -> RayPool:
        """Starts the actors."""
        if self._recipe.options["checkpoint_every"] and not self.saves:
            every = self._recipe.options["checkpoint_every"]
            raise ConfigError(
                f"make({task_id!r}, checkpoint_every={every})",
                "a task whose environments cannot be saved",
                "checkpoint_every=0 for this task",
                "Leave it out: the episodes of a lost actor are truncated",
            )
        from ._pool import RayPool

        _, state, action = self.describe(dict(config))
        recipe = self._recipe
        return RayPool(Settings.of(state, action, recipe, config, task_id, autoreset_mode))
