# SPDX-License-Identifier: Apache-2.0
"""SAC with hindsight replay, by Stable-Baselines3, learns to reach every goal of FetchReach.

    pip install "envpool-robotics[models]" stable-baselines3
    python sb3_her.py

It prints how many of 100 goals are reached at the end of an episode, and stops when all are, three
times in a row. That takes about half a minute of a CPU.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import envpool
import numpy as np
import torch
from envpool.integrations import sb3_vec_env
from stable_baselines3 import SAC, HerReplayBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

NUM_ENVS = 8
NUM_GOALS = 100
EPISODE = 50  # steps


class Test(BaseCallback):
    """Tries goals that are not learned from; ends the training when all are reached.

    Args:
        task: The id.
        every: Steps between two tests.
        enough: How often in a row all goals have to be reached.
    """

    def __init__(self, task: str, every: int = 1000, enough: int = 3) -> None:
        """Makes a pool of as many environments as there are goals."""
        super().__init__()
        self._pool: Any = envpool.make(task, num_envs=NUM_GOALS, seed=1000)
        self._every, self._enough = every, enough
        self._row = 0
        self._start, self._start_cpu = time.perf_counter(), time.process_time()

    def _on_step(self) -> bool:
        if self.num_timesteps % self._every:
            return True
        reached = self._reached()
        wall, cpu = time.perf_counter() - self._start, time.process_time() - self._start_cpu
        print(
            f"{self.num_timesteps:6,} steps, {wall:4.0f} s, {cpu:4.0f} s of a CPU: "
            f"{reached} of {NUM_GOALS} goals"
        )
        self._row = self._row + 1 if reached == NUM_GOALS else 0
        return self._row < self._enough

    def _reached(self) -> int:
        """The number of goals reached at the end of an episode; each test has other goals."""
        obs, _ = self._pool.reset()
        normalizer = self.model.get_vec_normalize_env()
        for _ in range(EPISODE):
            action, _ = self.model.predict(normalizer.normalize_obs(obs), deterministic=True)
            obs, _, _, truncated, info = self._pool.step(action)
        assert truncated.all()
        return int(np.sum(info["is_success"]))


parser = argparse.ArgumentParser()
parser.add_argument("--task", default="FetchReach-v4")
parser.add_argument("--steps", type=int, default=20_000, help="at most")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

torch.set_num_threads(1)  # the networks are too small for more
pool = envpool.make(options.task, num_envs=NUM_ENVS, seed=options.seed, autoreset_mode="same_step")
# Goals are centimetres apart and a metre away, which a network hardly tells apart as they are.
envs = VecNormalize(sb3_vec_env(pool), norm_reward=False)
model = SAC(
    "MultiInputPolicy",
    envs,
    learning_rate=1e-3,
    learning_starts=NUM_ENVS * EPISODE * 2,  # hindsight needs episodes that have ended
    batch_size=256,
    gamma=0.95,
    tau=0.05,
    ent_coef="auto_0.05",
    gradient_steps=NUM_ENVS // 2,  # for each step of all environments
    replay_buffer_class=HerReplayBuffer,
    replay_buffer_kwargs={"n_sampled_goal": 4, "goal_selection_strategy": "future"},
    policy_kwargs={"net_arch": [64, 64]},
    seed=options.seed,
    device="cpu",
)
model.learn(options.steps, Test(options.task))
model.save("her.zip")
envs.save("her.normalize.pkl")
