# SPDX-License-Identifier: Apache-2.0
"""RayEnv: what stands for the environments of actors where others have a compiled one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from envpool.errors import ConfigError
from envpool.pool_backend import EnvBackend, array

from ._rows import RESTARTED
from ._settings import Recipe, Settings

if TYPE_CHECKING:
    from envpool import EnvSpec
    from envpool.typing import CompiledArray

    from ._pool import RayPool


class RayEnv(EnvBackend):
    """The backend of the environment that actors make, with one more array."""

    def __init__(self, spec: EnvSpec, recipe: Recipe) -> None:
        """Starts nothing.

        Args:
            spec: The spec of the whole pool, as if it were in this process.
            recipe: The task and the options that actors make.
        """
        self._inner: Any = spec.env
        self._recipe = recipe
        self.name = f"Ray{self._inner.name}"
        self.compiler = self._inner.compiler
        self.api_version = self._inner.api_version
        self.step_kind = self._inner.step_kind
        self.option_ranges = self._inner.option_ranges

    @property
    def renders(self) -> bool:
        """Whether actors can draw frames."""
        return bool(self._inner.renders)

    @property
    def saves(self) -> bool:
        """Whether states can be saved."""
        return bool(self._inner.saves)

    @property
    def observation_space(self) -> Any:
        """The space of one observation, if the environment has one of its own."""
        return self._inner.observation_space

    @property
    def action_space(self) -> Any:
        """The space of one action, if the environment has one of its own."""
        return self._inner.action_space

    def __eq__(self, other: object) -> bool:
        """Whether pools of both are of one class: those of one environment."""
        return isinstance(other, RayEnv) and self._inner == other._inner

    def __hash__(self) -> int:
        """The hash of what `==` compares."""
        return hash(("ray", self._inner))

    def default_config(self) -> dict[str, object]:
        """All options of the environment by name, with their defaults."""
        return dict(self._inner.default_config())

    def describe(
        self, config: dict[str, object]
    ) -> tuple[dict[str, object], list[CompiledArray], list[CompiledArray]]:
        """The options, the arrays of the state and those of an action."""
        options, state, action = self._inner.describe(config)
        return options, [*state, array(RESTARTED, np.bool_)], action

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
