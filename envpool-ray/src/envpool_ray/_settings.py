# SPDX-License-Identifier: Apache-2.0
"""Settings: what every part of a pool needs to know of it, and what never changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._rows import PlayerRows

if TYPE_CHECKING:
    from envpool.typing import CompiledArray


class Recipe(NamedTuple):
    """How a pool is spread over workers, and what each of them makes."""

    task_id: str
    """The task that workers make, without the prefix."""
    given: Mapping[str, Any]
    """The options that the user gave for it, without those that are about the whole pool."""
    env_fns: tuple[Any, ...]
    """A function for each environment; empty if the task makes them."""
    options: Mapping[str, Any]
    """`OWN_OPTIONS`, as they were given."""


class Settings(NamedTuple):
    """Settings of a pool on Ray."""

    task_id: str
    autoreset_mode: str
    num_envs: int
    batch_size: int
    max_players: int
    actions: Sequence[CompiledArray]
    """The arrays of an action."""
    results: Sequence[CompiledArray]
    """The arrays of a result, without the pool's own."""
    per_player: PlayerRows
    row_bytes: int
    """Bytes of a result of an environment."""
    recipe: Recipe
    """The task that workers make, and its options."""
    config: Mapping[str, Any]
    """The options of the whole pool."""

    @classmethod
    def of(
        cls,
        state: Sequence[CompiledArray],
        actions: Sequence[CompiledArray],
        recipe: Recipe,
        config: Mapping[str, Any],
        task_id: str,
        autoreset_mode: str,
    ) -> Settings:
        """Settings of a pool whose results and actions have these arrays."""
        max_players = int(config["max_num_players"])
        per_player = frozenset(array[0] for array in state if array[2][:1] == (-1,))
        several = max_players > 1
        obs_per_player = any(name.split(":")[0] == "obs" for name in per_player)
        return cls(
            task_id,
            autoreset_mode,
            int(config["num_envs"]),
            int(config["batch_size"]),
            max_players,
            actions,
            state,
            PlayerRows(per_player if several else frozenset(), several and obs_per_player),
            sum(_bytes(array, max_players) for array in state),
            recipe,
            config,
        )

    @property
    def seeds(self) -> Sequence[int]:
        """The seed of each environment."""
        first = int(self.config["seed"])
        return self.config["env_seed"] or range(first, first + self.num_envs)

    def with_seeds(self, seeds: Sequence[int]) -> Settings:
        """The same with other seeds, for a pool that is opened again."""
        if seeds == list(self.seeds):
            return self
        return self._replace(config={**self.config, "env_seed": seeds})

    @property
    def sync(self) -> bool:
        """Whether a batch has a row for each environment that was sent."""
        return self.batch_size == self.num_envs

    @property
    def every(self) -> int:
        """Messages of a worker from one checkpoint to the next; 0: there are none."""
        return int(self.recipe.options["checkpoint_every"])

    @property
    def deadline(self) -> float:
        """Seconds that a worker may take to answer."""
        return self.recipe.options["actor_timeout"] or float("inf")

    @property
    def start_timeout(self) -> float:
        """Seconds that a cluster, or a worker, may take to start."""
        return float(self.recipe.options["start_timeout"])


def _bytes(array: CompiledArray, max_players: int) -> int:
    """Bytes of one of the arrays of a result, for one environment."""
    _, dtype, shape, *_ = array
    return dtype.itemsize * math.prod(max_players if dim == -1 else dim for dim in shape)
