# SPDX-License-Identifier: Apache-2.0
"""PPO of rl_games: `pip install rl-games ray envpool-classic`.

The library has a class for pools, which the environment named "envpool" uses. Its own environments
are one process of Ray each, to which Ray gives a niceness of 15: beside the learner they would
hardly run, so they get that of the learner.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from rl_games.torch_runner import Runner

ROLLOUT = 32
os.environ.setdefault("RAY_worker_niceness", "0")  # read when Ray starts, in the constructor

pool, steps = in_pool(150_000)
config: dict[str, Any] = {
    "name": "cartpole",
    "env_name": "envpool" if pool else TASK,
    "num_actors": NUM_ENVS,
    "horizon_length": ROLLOUT,
    "minibatch_size": ROLLOUT * NUM_ENVS,
    "mini_epochs": 20,
    "max_epochs": steps // (ROLLOUT * NUM_ENVS),
    "learning_rate": 1e-3,
    "lr_schedule": "linear",
    "gamma": 0.98,
    "tau": 0.8,
    "e_clip": 0.2,
    "clip_value": False,
    "critic_coef": 1.0,
    "entropy_coef": 0.0,
    "grad_norm": 0.5,
    "truncate_grads": True,
    "normalize_input": False,
    "normalize_advantage": True,
    "reward_shaper": {"scale_value": 0.1},
    "score_to_win": 1000,  # more than the best score: all runs have the same length
    "print_stats": False,
    "torch_compile": False,
    "device": "cpu",
    "train_dir": tempfile.mkdtemp(),
}
if pool:
    # rl_games expects that the step that ends an episode also resets.
    config["env_config"] = {"env_name": TASK, "autoreset_mode": "same_step"}
network = {
    "name": "actor_critic",
    "separate": True,
    "space": {"discrete": None},
    "mlp": {"units": [64, 64], "activation": "tanh", "initializer": {"name": "default"}},
}
runner = Runner()
runner.load(
    {
        "params": {
            "seed": 1,
            "torch_threads": 1,
            "algo": {"name": "a2c_discrete"},
            "model": {"name": "discrete_a2c"},
            "network": network,
            "config": config,
        }
    }
)
agent = runner.algo_factory.create(runner.algo_name, base_name="run", params=runner.params)
clock = Clock("rl_games, PPO", "rl-games")
agent.train()
clock.stop()
agent.model.eval()


def act(obs: Any) -> int:
    """The action with the highest probability."""
    inputs = {"is_train": False, "prev_actions": None, "obs": torch.from_numpy(obs)[None]}
    with torch.no_grad():
        return int(agent.model(inputs)["logits"].argmax())


clock.report(evaluate(act), steps // (ROLLOUT * NUM_ENVS) * ROLLOUT * NUM_ENVS)
