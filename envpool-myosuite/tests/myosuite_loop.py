# SPDX-License-Identifier: Apache-2.0
"""MyoSuite's own environment in a loop, for speed.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import myosuite_reference
import numpy as np

BATCH = 64  # actions, used in turn


def loop(task: str) -> Callable[[], None]:
    """One step of an environment, which begins again when an episode has ended."""
    env = myosuite_reference.make_reference(task, 1)
    env.action_space.seed(1)
    actions = itertools.cycle([env.action_space.sample() for _ in range(BATCH)])
    limit = myosuite_reference.time_limit(task)
    left = 0

    def step() -> None:
        nonlocal left
        if left == 0:
            myosuite_reference.reset(env)
            left = limit
        ended = myosuite_reference.step(env, next(actions).astype(np.float32))[2]
        left = 0 if ended else left - 1

    return step
