# SPDX-License-Identifier: Apache-2.0
"""What an environment written in JAX is for a pool: two pure functions and two spaces.

    class Countdown:
        observation_space = gymnasium.spaces.Box(0, 9, (), np.int32)
        action_space = gymnasium.spaces.Discrete(2)
        max_episode_steps = None

        def reset(self, key):
            left = jax.random.randint(key, (), 5, 10)
            return left, left, {}

        def step(self, key, state, action):
            left = state - 1
            return left, Step(left, reward=action, terminated=left == 0)

Both are of one environment: the pool applies them to a batch with `jax.vmap` and compiles that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from gymnasium import Space


class Step(NamedTuple):
    """What `step` of an environment returns beside its state.

    Attributes:
        observation: An array, or dicts, tuples and named tuples of arrays, after the space.
        reward: A number.
        terminated: Whether the episode has reached its end.
        truncated: Whether it is cut off here; the pool adds its own limit of steps.
        info: More arrays by name, in dicts of dicts if need be; the same in every step.
    """

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any = False
    info: Mapping[str, Any] | None = None


class JaxEnv(Protocol):
    """One environment, without a reset inside of `step`.

    One that draws also has `render(state)`, which gets the state of one environment as NumPy arrays
    and returns a uint8 array of shape (height, width, 3). `resets`, if it has that, is what the
    option of this name is by default: "cond", as without it, "chunks" or "select".
    """

    @property
    def observation_space(self) -> Space[Any]:
        """Of one environment: Box, Discrete, MultiDiscrete, MultiBinary; Dict, Tuple of these."""

    @property
    def action_space(self) -> Space[Any]:
        """Likewise."""

    @property
    def max_episode_steps(self) -> int | None:
        """Steps after which the pool truncates; None: as many as there are."""

    def reset(self, key: Any, /) -> tuple[Any, Any, Mapping[str, Any]]:
        """Starts an episode.

        Args:
            key: As of `jax.random.PRNGKey`, and for this call only.

        Returns:
            The state, which is any tree of arrays; the observation; and the info, whose arrays are
            some of those that a step has: the others are zero.
        """

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """Takes a step; the state has the shapes and dtypes of the one before."""
