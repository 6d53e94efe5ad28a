# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, for tools/fidelity.py and for tests."""

from __future__ import annotations

from typing import Any

import envpool
import gymnasium
import numpy as np
from envpool.testing.fidelity import Comparison, play_beside
from references import Case

UNIT = "steps"


class Reference(gymnasium.ActionWrapper[Any, Any, Any]):
    """Gymnasium's environment; it gets the float32 that a pool makes of any action."""

    def action(self, action: Any) -> Any:
        """The action that a pool takes."""
        return action if np.ndim(action) == 0 else action.astype(np.float32)


def align(case: Case, steps: int, num_envs: int = 4, seed: int = 2024) -> Comparison:
    """Plays that many steps of each environment, over resets, without a new seed."""
    references = [Reference(case.make()) for _ in range(num_envs)]
    policies = [case.policy() if case.policy else None for _ in references]
    space = references[0].action_space
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    mode = {"render_mode": "rgb_array"} if case.frames else {}

    def choose(i: int, observation: Any) -> Any:
        policy = policies[i]
        action = policy(np.asarray(observation)) if policy else space.sample()
        return np.asarray(action).astype(np.int32 if discrete else case.dtype)

    with envpool.make(case.task_id, num_envs=num_envs, seed=seed, **case.config, **mode) as pool:
        return play_beside(
            pool, references, steps=steps, seed=seed, choose=choose, frames=case.frames
        )
