# SPDX-License-Identifier: Apache-2.0
"""APPO of Sample Factory 2.1: `pip install sample-factory envpool-classic`.

It needs Gymnasium 0.29 and NumPy 1.26. Its own environments are one process for each group; a pool
is one environment of `num_agents` agents.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import envpool
import gymnasium
import torch
from _common import TASK, Clock, evaluate, in_pool
from sample_factory.algo.runners.runner import AlgoObserver
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env
from sample_factory.model.actor_critic import create_actor_critic
from sample_factory.train import make_runner

NUM_ENVS = 16
pool, steps = in_pool(200_000)
torch.set_num_threads(1)  # the networks are too small for more


class Agents(gymnasium.Wrapper):
    """A pool whose environments are agents, with the spaces of a single agent."""

    is_multiagent = True

    def __init__(self, envs: Any) -> None:
        """A pool."""
        super().__init__(envs)
        self.num_agents = envs.num_envs

    def reset(self, **kwargs: Any) -> Any:
        """Without seeds, which the pool has."""
        return self.env.reset()


class FromFirstUpdate(AlgoObserver):
    """Starts the clock when all processes run, which takes seconds."""

    def __init__(self, clock: Clock) -> None:
        """Before the training."""
        self.clock = clock
        self.before: int | None = None

    def on_training_step(self, runner: Any, training_iteration_since_resume: int) -> None:
        """A callback of Sample Factory."""
        if self.before is None:
            self.before = sum(runner.env_steps.values())
            self.clock.start()


def make(name: str, cfg: Any, env_config: Any, render_mode: str | None = None) -> Any:
    """The function that Sample Factory calls to make environments."""
    if not pool:
        return gymnasium.make(TASK)
    return Agents(envpool.make(TASK, num_envs=NUM_ENVS, seed=1, autoreset_mode="same_step"))


def main() -> None:
    """Trains and reports; its processes import this file again."""
    register_env(TASK, make)
    folder = tempfile.mkdtemp()
    workers = 1 if pool else 2
    arguments = {
        "algo": "APPO",
        "env": TASK,
        "experiment": "cartpole",
        "train_dir": folder,
        "device": "cpu",
        "seed": 1,
        "use_rnn": False,
        "num_workers": workers,
        "num_envs_per_worker": 1 if pool else NUM_ENVS // workers,
        "worker_num_splits": 1 if pool else 2,
        "batched_sampling": pool,
        "rollout": 32,
        "recurrence": 1,
        "batch_size": 512,
        "num_batches_per_epoch": 1,
        "num_epochs": 10,
        "gamma": 0.98,
        "gae_lambda": 0.9,
        "learning_rate": 1e-3,
        "max_grad_norm": 0.5,
        "reward_scale": 0.1,
        "exploration_loss_coeff": 0.0,
        "with_vtrace": False,
        "normalize_input": False,
        "nonlinearity": "tanh",
        "encoder_mlp_layers": [64, 64],
        "train_for_env_steps": steps,
        "save_every_sec": 10**6,
        "serial_mode": pool,
        "async_rl": not pool,
        "use_env_info_cache": False,
    }
    argv = []
    for key, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        argv += [f"--{key}", *map(str, values)] if isinstance(value, list) else [f"--{key}={value}"]
    parser, _ = parse_sf_args(argv=argv)
    cfg = parse_full_cfg(parser, argv)
    cfg, runner = make_runner(cfg)
    clock = Clock("Sample Factory, APPO", "sample-factory")
    timed = FromFirstUpdate(clock)
    runner.register_observer(timed)
    runner.init()
    status = runner.run()
    clock.stop()
    if status != 0 or timed.before is None:
        sys.exit(f"Sample Factory ended with status {status}")

    spaces = gymnasium.make(TASK)
    observation = gymnasium.spaces.Dict({"obs": spaces.observation_space})
    model = create_actor_critic(cfg, observation, spaces.action_space)
    saved = sorted(Path(folder, "cartpole", "checkpoint_p0").glob("checkpoint_*.pth"))[-1]
    state = torch.load(saved, weights_only=False)
    model.load_state_dict(state["model"])
    model.eval()

    def act(obs: Any) -> int:
        """The action with the highest probability."""
        with torch.no_grad():
            inputs = model.normalize_obs({"obs": torch.from_numpy(obs)[None]})
            return int(model(inputs, torch.zeros(1, 1))["action_logits"].argmax())

    clock.report(evaluate(act), int(state["env_steps"]) - timed.before)


if __name__ == "__main__":
    main()
