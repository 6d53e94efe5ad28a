# SPDX-License-Identifier: Apache-2.0
"""PPO, by Stable-Baselines3, learns to drive fast on highway-fast-v0 without a crash.

    pip install envpool-highway stable-baselines3
    python sb3_highway_ppo.py
    pip install highway-env
    python sb3_highway_ppo.py --envs package

After every 1,024 steps it prints the mean return of 100 episodes, of at most 30 steps, and how many
of them ended with a crash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _highway import Tests, environments, options
from stable_baselines3 import PPO

TASK, NUM_ENVS = "highway-fast-v0", 16


def score(returns: Any, last: Any) -> str:
    """A line about some episodes."""
    return f"return {returns.mean():.2f}, {np.sum(last['crashed'])} of {len(returns)} crashed"


assert __doc__
chosen = options(__doc__, steps=16_384, every=1024)
model = PPO(
    "MlpPolicy",
    environments(TASK, chosen.envs, NUM_ENVS, chosen.seed),
    learning_rate=5e-4,
    n_steps=64,
    batch_size=64,
    n_epochs=10,
    gamma=0.8,
    policy_kwargs={"net_arch": [256, 256]},
    seed=chosen.seed,
    device="cpu",
)
model.learn(chosen.steps, Tests(TASK, chosen.every, score))
model.save("highway_ppo.zip")
