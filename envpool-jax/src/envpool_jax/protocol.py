# SPDX-License-Identifier: Apache-2.0
"""The interface of an environment written in JAX: two pure functions and two spaces.

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

Both functions are for one environment: the pool applies them to a batch with `jax.vmap` and
compiles the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from gymnasium import Space


class Step(NamedTuple):
    """The result of an environment's `step`, beside its state.

    Attributes:
        observation: An array, or dicts, tuples and named tuples of arrays, in the space's
        structure.
        reward: A number.
        terminated: True if the episode has reached its end.
        truncated: True if it is cut off here; the pool adds its own step limit.
        info: More arrays by name, also in nested dicts; the same names in every step.
    """

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any = False
    info: Mapping[str, Any] | None = None


class JaxEnv(Protocol):
    """One environment, without a reset inside of `step`.

    An environment that draws also has `render(state)`, which gets the state of one environment as
    NumPy arrays and returns a uint8 array of shape (height, width, 3). An attribute `resets` sets
    the default of the option of this name: "cond" (also without it), "chunks" or "select".
    """

    @property
    def observation_space(self) -> Space[Any]:
        """Box, Discrete, MultiDiscrete, MultiBinary, or Dict or Tuple of these; for one env."""

    @property
    def action_space(self) -> Space[Any]:
        """The action space of one environment, of the same kinds."""

    @property
    def max_episode_steps(self) -> int | None:
        """Steps after which the pool truncates; None: no limit."""

    def reset(self, key: Any, /) -> tuple[Any, Any, Mapping[str, Any]]:
        """Starts an episode.

        Args:
            key: As of `jax.random.PRNGKey`, and for this call only.

        Returns:
            The state, which is any tree of arrays; the observation; and the info. Its arrays are a
            subset of a step's: missing arrays are zero.
        """

    def step(self, key: Any, state: Any, action: Any, /) -> tuple[Any, Step]:
        """Takes a step; the returned state has the shapes and dtypes of `state`."""
