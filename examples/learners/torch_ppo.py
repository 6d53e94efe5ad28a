# SPDX-License-Identifier: Apache-2.0
"""PPO of ../torch/_ppo.py, in PyTorch: `pip install torch envpool-classic`."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import envpool
import gymnasium
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from gymnasium.vector import AutoresetMode

sys.path.insert(0, str(Path(__file__).parents[1] / "torch"))
from _ppo import Network, Settings, hidden, train

pool, steps = in_pool(150_000)
torch.manual_seed(1)
torch.set_num_threads(1)  # the networks are too small for more
if pool:
    envs = envpool.make(TASK, "vector", num_envs=NUM_ENVS, autoreset_mode="same_step")
else:
    mode = {"autoreset_mode": AutoresetMode.SAME_STEP}
    envs = gymnasium.make_vec(TASK, NUM_ENVS, "sync", vector_kwargs=mode)

settings = Settings(
    num_envs=NUM_ENVS,
    horizon=32,
    epochs=20,
    discount=0.98,
    trace=0.8,
    clip=0.2,
    entropy=0,
)
network = Network(hidden(4), (4,), 2)
limit = argparse.Namespace(steps=steps, minutes=math.inf, seed=1, log=None)
clock = Clock("PPO, PyTorch", "torch")
train(envs, network, settings, limit)
clock.stop()
with torch.no_grad():
    score = evaluate(lambda obs: int(network(torch.from_numpy(obs)[None])[0].argmax()))
size = NUM_ENVS * settings.horizon
clock.report(score, -(-steps // size) * size)
