# SPDX-License-Identifier: Apache-2.0
"""DmPool: a pool with the interface of a `dm_env.Environment`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, ClassVar, cast

import dm_env  # type: ignore[import-untyped]

from .._specs.dm_specs import spec_of
from .._specs.spec import EnvSpec
from .._upstream.old_options import one_of
from ..typing import DmStep
from .base import EnvIds, EnvPoolMixin, Seeds, flatten
from .result_layouts import dm_layout


class DmPool(EnvPoolMixin, dm_env.Environment):  # type: ignore[misc]
    """A pool whose results are a `dm_env.TimeStep` of arrays, one row per environment.

    `step_type` is int32, and so `first()`, `mid()` and `last()` of a DmStep give bool arrays;
    `reward` and `discount` are float32, 0 and 1 in the first step of an episode. The discount is 0
    at a terminal state, and 1 where only the time limit was reached. `observation` is a namedtuple
    State with `env_id`, `players`, and the arrays of observation and info of the family: a lone
    observation is `State.obs`.
    """

    env_type: ClassVar[str] = "dm"

    def __init__(self, spec: EnvSpec) -> None:
        """Builds the environments; see `EnvPoolMixin`."""
        super().__init__(spec)
        self._replace_step(DmPool.step, self._compiled.step)

    def _layouts(self, names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
        return (
            dm_layout(names, dm_env.TimeStep, same_step),
            dm_layout(names, dm_env.TimeStep, same_step=False),
        )

    def step(self, action: Any, env_id: EnvIds | None = None) -> DmStep:
        """Sends actions and waits for a batch of results: `send` and `recv` in one.

        Args:
            action: As in `send`.
            env_id: As in `send`.

        Returns:
            A `dm_env.TimeStep` with one row per environment.

        Raises:
            ActionError: If a key is missing, or a shape, dtype or value is wrong.
            EnvIdError: If an id is out of range, given twice or in flight.
            StateError: If the pool is closed.
            WorkerError: If an environment failed; the results of the others are kept for `recv`.
        """
        action = flatten(action) if isinstance(action, dict) else action
        return cast(DmStep, self._compiled_step(action, env_id))

    def recv(
        self, reset: bool = False, return_info: bool = True, timeout: float | None = None
    ) -> DmStep:
        """Waits for a batch of results and returns it as `step` would; see `EnvPoolMixin.recv`."""
        return cast(DmStep, super().recv(reset, return_info, timeout))

    def reset(
        self,
        env_id: EnvIds | None = None,
        seed: Seeds | None = None,
        *,
        id: EnvIds | None = None,
    ) -> DmStep:
        """Starts a new episode in environments.

        Args:
            env_id: The environments; None: all.
            seed: New seeds: an int gives environment i the seed `seed + i`, a sequence has one for
                each environment that is reset. None: the generators go on.
            id: A name of upstream for `env_id`.

        Returns:
            A `dm_env.TimeStep` with one row for each environment that was reset.

        Raises:
            ConfigError: If a seed is wrong.
            EnvIdError: If an id is out of range or given twice.
            WorkerError: If an environment failed.
        """
        return cast(DmStep, self._reset_with(self._compiled.reset, one_of(env_id, id), seed))

    @functools.cached_property
    def _observation_spec(self) -> Any:
        return self._spec.observation_spec()

    @functools.cached_property
    def _action_spec(self) -> Any:
        return self._spec.action_spec()

    def reward_spec(self) -> dm_env.specs.Array:
        """Spec of one environment's reward."""
        return spec_of(self._spec.state_array_spec["reward"])

    def discount_spec(self) -> dm_env.specs.Array:
        """Spec of one environment's discount."""
        return spec_of(self._spec.state_array_spec["discount"])

    def observation_spec(self) -> Any:
        """Specs of one environment's observation: a namedtuple State."""
        return self._observation_spec

    def action_spec(self) -> Any:
        """Spec of one environment's action, or a namedtuple Action of several."""
        return self._action_spec
