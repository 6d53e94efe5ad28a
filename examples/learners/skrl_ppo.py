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
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils import set_seed
from torch import nn

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


def layers(outputs: int) -> nn.Module:
    """A network with two hidden layers."""
    return nn.Sequential(
        nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


class Policy(CategoricalMixin, Model):
    """Logits of both actions."""

    def __init__(self) -> None:
        """A fresh network."""
        spaces = {
            "observation_space": envs.observation_space,
            "action_space": envs.action_space,
            "device": "cpu",
        }
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = layers(2)

    def compute(self, inputs: dict[str, Any], role: str = "") -> Any:
        """What skrl calls."""
        return self.net(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    """The value of a state."""

    def __init__(self) -> None:
        """A fresh network."""
        spaces = {
            "observation_space": envs.observation_space,
            "action_space": envs.action_space,
            "device": "cpu",
        }
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.net = layers(1)

    def compute(self, inputs: dict[str, Any], role: str = "") -> Any:
        """What skrl calls."""
        return self.net(inputs["observations"]), {}


policy = Policy()
folder = tempfile.mkdtemp()
agent = PPO(
    models={"policy": policy, "value": Value()},
    memory=RandomMemory(memory_size=ROLLOUT, num_envs=NUM_ENVS, device="cpu"),
    observation_space=envs.observation_space,
    action_space=envs.action_space,
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
with torch.no_grad():
    score = evaluate(lambda obs: int(policy.net(torch.from_numpy(obs)).argmax()))
clock.report(score, steps // NUM_ENVS * NUM_ENVS)
