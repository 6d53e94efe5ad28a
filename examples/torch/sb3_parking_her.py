# SPDX-License-Identifier: Apache-2.0
"""SAC with hindsight replay, by Stable-Baselines3, learns to park on parking-v0.

    pip install envpool-highway stable-baselines3
    python sb3_parking_her.py
    pip install highway-env
    python sb3_parking_her.py --envs package

After every 5,000 steps, which take about 20 seconds of a CPU, it prints how many of 100 cars park
within 20 seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from _highway import Tests, environments, options
from stable_baselines3 import SAC, HerReplayBuffer

TASK, NUM_ENVS = "parking-v0", 8
DURATION = 20  # seconds, of 5 steps each


def score(returns: Any, last: Any) -> str:
    """A line about some episodes."""
    return f"{np.sum(last['is_success'])} of {len(returns)} park, {np.sum(last['crashed'])} crash"


assert __doc__
chosen = options(__doc__, steps=50_000, every=5000)
model = SAC(
    "MultiInputPolicy",
    environments(TASK, chosen.envs, NUM_ENVS, chosen.seed, duration=DURATION),
    learning_rate=1e-3,
    learning_starts=2 * NUM_ENVS * 5 * DURATION,  # hindsight needs episodes that have ended
    batch_size=256,
    gamma=0.95,
    tau=0.05,
    gradient_steps=NUM_ENVS // 2,  # for each step of all environments
    replay_buffer_class=HerReplayBuffer,
    replay_buffer_kwargs={"n_sampled_goal": 4, "goal_selection_strategy": "future"},
    policy_kwargs={"net_arch": [128, 128]},
    seed=chosen.seed,
    device="cpu",
)
model.learn(chosen.steps, Tests(TASK, chosen.every, score, duration=DURATION))
model.save("parking_her.zip")
