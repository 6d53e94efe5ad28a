# SPDX-License-Identifier: Apache-2.0
"""PPO of Stable-Baselines3: `pip install stable-baselines3 envpool-classic`."""

from __future__ import annotations

import envpool
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from envpool.integrations import sb3_vec_env
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

pool, steps = in_pool(100_000)
torch.set_num_threads(1)  # the networks are too small for more
if pool:
    envs = sb3_vec_env(envpool.make(TASK, num_envs=NUM_ENVS, autoreset_mode="same_step", seed=1))
else:
    envs = make_vec_env(TASK, n_envs=NUM_ENVS, seed=1)

model = PPO(
    "MlpPolicy",
    envs,
    learning_rate=lambda left: 1e-3 * left,
    n_steps=32,
    batch_size=256,
    n_epochs=20,
    gamma=0.98,
    gae_lambda=0.8,
    clip_range=lambda left: 0.2 * left,
    seed=1,
    device="cpu",
)
clock = Clock("Stable-Baselines3, PPO", "stable-baselines3")
model.learn(steps)
clock.stop()
clock.report(evaluate(lambda obs: int(model.predict(obs, deterministic=True)[0])), steps)
