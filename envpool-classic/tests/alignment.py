# SPDX-License-Identifier: Apache-2.0
"""Plays a task and its reference side by side, for tools/fidelity.py and for tests."""

from __future__ import annotations

import envpool
import numpy as np
from envpool.testing.fidelity import Comparison, play_beside
from references import Case

# Infos of Gymnasium's that a task of EnvPool's does not have.
UNKNOWN = {
    "FrozenLake-v1": ("infos prob",),
    "FrozenLake8x8-v1": ("infos prob",),
    "Taxi-v3": ("infos prob", "infos action_mask"),
}


def align(case: Case, episodes: int, num_envs: int = 4, seed: int = 2024) -> Comparison:
    """Plays until `episodes` have ended."""
    rng = np.random.default_rng(seed)
    policy = case.policy
    choose = None if policy is None else lambda _, seen: policy(np.asarray(seen), rng)
    with envpool.make(case.task_id, num_envs=num_envs, seed=seed, **case.config) as pool:
        return play_beside(
            pool,
            [case.make() for _ in range(num_envs)],
            episodes=episodes,
            seed=seed,
            choose=choose,
            comparison=Comparison(skip=UNKNOWN.get(case.task_id, ())),
        )
