# SPDX-License-Identifier: Apache-2.0
"""PPO of Stable-Baselines3 learns Pong from its screens, is saved, and plays in a video.

    pip install "envpool-atari[roms]" stable-baselines3 "envpool-core[video]"
    python sb3_pong.py                         # hours on a CPU
    python sb3_pong.py --steps 30000           # minutes: the first scores
    python sb3_pong.py --load pong.zip         # goes on where a run ended

It leaves pong.zip and pong.gif, and saves into checkpoints/ on its way.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import envpool
from envpool import video
from envpool.integrations import sb3_vec_env
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import CheckpointCallback

NUM_ENVS = 16

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=2_000_000)
parser.add_argument("--load", help="a saved model, to go on with")
options = parser.parse_args()

pool = envpool.make(
    "Pong-v5", num_envs=NUM_ENVS, seed=1, autoreset_mode="same_step", reward_clip=True
)
envs = sb3_vec_env(pool)

if options.load:
    model = PPO.load(options.load, env=envs)
else:
    model = PPO(
        "CnnPolicy",
        envs,
        n_steps=128,
        batch_size=256,
        n_epochs=4,
        learning_rate=2.5e-4,
        clip_range=0.1,
        ent_coef=0.01,
        verbose=1,
    )
saver = CheckpointCallback(100_000 // NUM_ENVS, "checkpoints", "pong")
model.learn(options.steps, saver, reset_num_timesteps=not options.load)
model.save("pong.zip")

frames = []
with envpool.make("Pong-v5", seed=2, render_mode="rgb_array") as one:
    obs, info = one.reset()
    for _ in range(600):
        action, _ = model.predict(obs)
        obs, reward, terminated, truncated, info = one.step(action)
        frames.append(one.render()[0])
video.write(Path("pong.gif"), frames, fps=15)
