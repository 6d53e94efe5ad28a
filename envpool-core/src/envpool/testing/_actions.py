# SPDX-License-Identifier: Apache-2.0
"""Random actions: for any Gymnasium space, and as a plan that gives each environment its own.

A plan is fixed before a rollout: the action of environment i in its k-th step does not depend on
the other environments in the batch, so that rollouts of different pools can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from .._specs.spaces import space_of
from ..errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._specs.spec import EnvSpec


def random_actions(space: spaces.Space[Any], n: int, rng: np.random.Generator) -> Any:
    """Actions for `n` environments, drawn from the space of a single environment.

    Bounded numbers are uniform, unbounded ones normal, half-bounded ones exponential.

    Args:
        space: `single_action_space` of a pool; Box, Discrete, MultiDiscrete, MultiBinary, or a Dict
            or Tuple of these.
        n: Number of rows.
        rng: The source of the numbers; the space's own generator is not used.

    Returns:
        An array of shape `(n, *space.shape)` and the dtype of the space, or a dict or tuple of
        arrays.

    Raises:
        ConfigError: If the space is of another kind.
    """
    if isinstance(space, spaces.Dict):
        return {key: random_actions(part, n, rng) for key, part in space.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(random_actions(part, n, rng) for part in space)
    if isinstance(space, spaces.Discrete):
        start = int(space.start)
        return rng.integers(start, start + int(space.n), n).astype(space.dtype)
    if isinstance(space, spaces.MultiDiscrete):
        high = np.asarray(space.nvec, np.int64)
        drawn = rng.integers(0, high, (n, *high.shape))
        return (drawn + np.asarray(space.start, np.int64)).astype(space.dtype)
    if isinstance(space, spaces.MultiBinary):
        return rng.integers(0, 2, (n, *space.shape)).astype(space.dtype)
    if isinstance(space, spaces.Box):
        return _box(space, (n, *space.shape), rng)
    raise ConfigError(
        "random_actions(space, ...)",
        f"a {type(space).__name__}",
        "Box, Discrete, MultiDiscrete, MultiBinary, and Dict and Tuple of them",
        "Draw the actions of this space by hand",
    )


def random_rows(spec: EnvSpec, rows: int, players: int, rng: np.random.Generator) -> Any:
    """Random actions for a task, whose environments may have several players.

    Args:
        spec: The pool's.
        rows: Number of environments that are stepped.
        players: Number of players in all of them, as `len(info["players"]["env_id"])`.
        rng: As for `random_actions`.

    Returns:
        An array, or a dict of arrays by flat name if the action has several parts.
    """
    own = list(spec.own_actions.items())
    arrays = {
        name: random_actions(space_of(array), players if array.per_player else rows, rng)
        for name, array in own
    }
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays


def _box(space: spaces.Box, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
    low, high = np.broadcast_to(space.low, shape), np.broadcast_to(space.high, shape)
    if np.issubdtype(space.dtype, np.integer):
        # int64 has no room for the largest value plus 1, so the bounds are inclusive.
        whole: Any = space.dtype
        return rng.integers(low, high, shape, whole, endpoint=True)  # type: ignore[arg-type]
    below, above = np.isfinite(low), np.isfinite(high)
    drawn = rng.standard_normal(shape)
    tail = rng.exponential(size=shape)
    # Half of the range at a time: the whole range may be larger than the largest number.
    with np.errstate(over="ignore", invalid="ignore"):
        inside = low + 2.0 * (rng.random(shape) * (high / 2.0 - low / 2.0))
        drawn = np.where(below & above, inside, drawn)
        drawn = np.where(below & ~above, low + tail, drawn)
        drawn = np.where(~below & above, high - tail, drawn)
    return np.clip(drawn.astype(space.dtype), low, high)


class ActionPlan:
    """The actions that every environment of a pool will take, step by step.

    Attributes:
        length: Number of steps after which the actions come again.
    """

    def __init__(self, spec: EnvSpec, length: int, seed: int) -> None:
        """Draws all actions.

        Args:
            spec: The pool's; its number of environments and players, and its action arrays.
            length: Number of steps to plan for each environment.
            seed: The seed of the draws.
        """
        rng = np.random.default_rng(seed)
        self.length = length
        self._num_envs: int = spec.options["num_envs"]
        self._players: int = spec.options["max_num_players"]
        self._per_player: dict[str, bool] = {}
        self._table: dict[str, NDArray[Any]] = {}
        slots = self._num_envs * self._players
        for name, array in spec.own_actions.items():
            drawn = random_actions(space_of(array), length * slots, rng)
            self._table[name] = drawn.reshape(
                length, self._num_envs, self._players, *array.item_shape
            )
            self._per_player[name] = array.per_player

    def batch(
        self, env_ids: Sequence[int], steps: Mapping[int, int], players: Mapping[int, int]
    ) -> Any:
        """The actions of some environments, ready for `send`.

        Args:
            env_ids: The environments, in the order of the rows.
            steps: The number of steps that each environment has taken so far.
            players: The number of players that each environment has now.

        Returns:
            An array, or a dict of arrays by flat name if the action has several parts or players.
        """
        ids = np.asarray(env_ids, np.int64)
        at = np.asarray([steps[i] % self.length for i in env_ids], np.int64)
        if self._players == 1:
            arrays = {name: table[at, ids, 0] for name, table in self._table.items()}
            return next(iter(arrays.values())) if len(arrays) == 1 else arrays
        owners = np.repeat(ids, [players[i] for i in env_ids])
        owner_at = np.repeat(at, [players[i] for i in env_ids])
        slots = np.concatenate([np.arange(players[i]) for i in env_ids]).astype(np.int64)
        result: dict[str, NDArray[Any]] = {
            name: table[owner_at, owners, slots] if self._per_player[name] else table[at, ids, 0]
            for name, table in self._table.items()
        }
        return result | {"players.env_id": owners.astype(np.int32)}
