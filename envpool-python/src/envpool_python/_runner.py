# SPDX-License-Identifier: Apache-2.0
"""Runner: one environment of a worker, and its handling of requested steps and resets.

handle(buffer, request) -> env.step or env.reset -> the slot in shared memory -> finish_...
"""

from __future__ import annotations

import contextlib
import pickle
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._infos import encode
from ._messages import EnvDescription, WorkerSeeds, WorkerSetup
from ._random_seeds import seed_for_making
from ._recipes import Recipe
from ._spaces import are_of_one_shape

STEP, RESET, SEED = 0, 1, 2
"""Requests."""
NEXT_EPISODE = 2
"""The buffer for the start of the next episode within the same step."""


class Runner:
    """One environment.

    Attributes:
        env: The environment that the recipe made.
        env_id: Its id in the pool.
    """

    def __init__(self, recipe: Recipe, seeds: WorkerSeeds, env_id: int, env: Any) -> None:
        """Keeps the arguments, without connecting to shared memory."""
        self._recipe, self._seeds = recipe, seeds
        self.env_id = env_id
        self.env = env
        self._has_failed = False

    def describe(self) -> EnvDescription:
        """The description of the environment."""
        raise NotImplementedError

    def open(self, endpoint: Any, setup: WorkerSetup) -> None:
        """Connects the environment to its slot.

        Raises:
            ValueError: If its spaces differ from those of the first environment.
        """
        own, wanted = self.describe(), setup.description
        for name in ("observation_space", "action_space", "agents", "turn_agents"):
            if name == "observation_space" and setup.observation_mode == "different":
                alike = are_of_one_shape(own.observation_space, wanted.observation_space)
            else:
                alike = getattr(own, name) == getattr(wanted, name)
            if not alike:
                raise ValueError(
                    f"the {name} of environment {self.env_id} is {getattr(own, name)}, and that of "
                    f"environment 0 {getattr(wanted, name)}: all of a pool must be alike; with "
                    f"observation_mode='different' bounds of observations may differ"
                )
        self.observation_space = own.observation_space
        self._endpoint = endpoint

    def handle(self, buffer: int, request: int) -> None:
        """Handles the slot's request; an exception is written into the slot."""
        try:
            if request == STEP:
                self._step(buffer)
            else:
                self._reset(buffer, request)
        except BaseException:  # sys.exit() of an environment must not end its neighbors
            self._has_failed = True
            self._endpoint.fail(self.env_id, traceback.format_exc())

    def _step(self, buffer: int) -> None:
        raise NotImplementedError

    def _reset(self, buffer: int, request: int) -> None:
        raise NotImplementedError

    def _call_reset(self, request: int) -> Any:
        """Calls `reset`, on a new environment if this one has failed."""
        options = self._endpoint.take_options(self.env_id)
        given = {"options": pickle.loads(options)} if options else {}
        if request == RESET:
            return self.env.reset(**given)
        seed, num_rebuilds, _ = self._endpoint.arguments_of(self.env_id)
        if self._has_failed:
            with contextlib.suppress(Exception):  # a failed environment may be unable to close
                self.close()
            seed_for_making(self._seeds, self.env_id, num_rebuilds)
            self.env = self._recipe.make(self.env_id)
            self._has_failed = False
        return self.env.reset(seed=_seed_after(seed, num_rebuilds), **given)

    def _set_info(self, which: int, info: Mapping[Any, Any]) -> None:
        data = encode(dict(info), f"env {self.env_id}: the info")
        self._endpoint.set_info(self.env_id, which, data)

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Calls `function(env, *given, **named)`."""
        return function(self.env, *given, **named)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()


class MissingEnv:
    """A stand-in for an environment that could not be made."""

    def __init__(self, endpoint: Any, env_id: int, problem: str) -> None:
        """Keeps the problem."""
        self._endpoint, self._env_id, self._problem = endpoint, env_id, problem

    def handle(self, buffer: int, request: int) -> None:
        """Reports the problem."""
        self._endpoint.fail(self._env_id, self._problem)

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Reports the problem."""
        raise RuntimeError(self._problem)

    def close(self) -> None:
        """Does nothing."""


def _seed_after(seed: int, num_rebuilds: int) -> int:
    """The seed of a remade environment: it must not repeat its earlier episodes."""
    if num_rebuilds == 0:
        return seed
    return int(np.random.SeedSequence([seed, num_rebuilds]).generate_state(1)[0])
