# SPDX-License-Identifier: Apache-2.0
"""PPO of skrl with its SequentialTrainer: `pip install skrl envpool-classic`."""

from __future__ import annotations

import tempfile
from typing import Any

import envpool
import gymnasium
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from skrl.agents.torch.ppo import PPO
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from skrl.utils.model_instantiators.torch import categorical_model, deterministic_model

ROLLOUT = 64

pool, steps = in_pool(150_000)
set_seed(1)
torch.set_num_threads(1)
if pool:
    raw = envpool.make(TASK, "vector", num_envs=NUM_ENVS, autoreset_mode="same_step", seed=1)
else:
    raw = gymnasium.make_vec(
        TASK,
        num_envs=NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP},
    )
envs = wrap_env(raw)


spaces = {"observation_space": envs.observation_space, "action_space": envs.action_space}
layers = {"name": "net", "input": "OBSERVATIONS", "layers": [64, 64], "activations": "tanh"}
policy = categorical_model(**spaces, device="cpu", network=[layers], output="ACTIONS")
value = deterministic_model(**spaces, device="cpu", network=[layers], output="ONE")
folder = tempfile.mkdtemp()
agent = PPO(
    models={"policy": policy, "value": value},
    memory=RandomMemory(memory_size=ROLLOUT, num_envs=NUM_ENVS, device="cpu"),
    **spaces,
    device="cpu",
    cfg={
        "rollouts": ROLLOUT,
        "learning_epochs": 10,
        "mini_batches": 2,
        "discount_factor": 0.98,
        "gae_lambda": 0.9,
        "learning_rate": 1e-3,
        "value_loss_scale": 0.5,
        "experiment": {"directory": folder, "write_interval": 0, "checkpoint_interval": 0},
    },
)
trainer = SequentialTrainer(
    env=envs,
    agents=agent,
    cfg={"timesteps": steps // NUM_ENVS, "headless": True, "disable_progressbar": True},
)
clock = Clock("skrl, PPO", "skrl")
trainer.train()
clock.stop()


def act(obs: Any) -> int:
    """The action with the highest probability."""
    with torch.no_grad():
        return int(policy.compute({"observations": torch.from_numpy(obs)[None]})[0].argmax())


clock.report(evaluate(act), steps // NUM_ENVS * NUM_ENVS)
