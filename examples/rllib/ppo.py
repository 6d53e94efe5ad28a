# SPDX-License-Identifier: Apache-2.0
"""PPO of RLlib on our pools.

pip install envpool-ray envpool-classic envpool-atari 'ray[rllib]' torch
python examples/rllib/ppo.py                    # CartPole, to a mean return of 400
python examples/rllib/ppo.py --task Pong-v5     # Pong, on a GPU or with patience
"""

from __future__ import annotations

import argparse
import time

import envpool_ray
from envpool_ray import rllib
from ray.rllib.algorithms.ppo import PPOConfig

CARTPOLE = {"lr": 3e-4, "gamma": 0.99, "train_batch_size_per_learner": 2048, "num_epochs": 6}
PONG = {"lr": 2.5e-4, "gamma": 0.99, "train_batch_size_per_learner": 4096, "num_epochs": 4}


def main() -> int:
    """Learns until the goal; the exit status is 1 if it is not reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--task", default="CartPole-v1")
    parser.add_argument("--envs", type=int, default=16, help="environments of an env runner")
    parser.add_argument("--runners", type=int, default=1)
    parser.add_argument("--goal", type=float, help="mean return; 400 for CartPole, 18 for Pong")
    parser.add_argument("--iterations", type=int, default=60)
    options = parser.parse_args()
    # A CPU for each runner, and another for the learner.
    with envpool_ray.cluster(num_cpus=options.runners + 1, start_timeout=300.0):
        return train(options)


def train(options: argparse.Namespace) -> int:
    """Trains; returns the exit status."""
    pong = options.task != "CartPole-v1"
    goal = options.goal if options.goal is not None else (18.0 if pong else 400.0)
    config = (
        PPOConfig()
        .env_runners(
            num_env_runners=options.runners,
            num_envs_per_env_runner=options.envs,
            rollout_fragment_length="auto",
        )
        .training(**(PONG if pong else CARTPOLE))
    )
    task_options = {"reward_clip": True} if pong else {}
    algorithm = rllib.with_pool(config, options.task, **task_options).build_algo()
    began, best = time.monotonic(), float("-inf")
    for iteration in range(1, options.iterations + 1):
        found = algorithm.train()["env_runners"]
        best = max(best, found.get("episode_return_mean", best))
        steps = found["num_env_steps_sampled_lifetime"]
        rate = steps / (time.monotonic() - began)
        print(
            f"iteration {iteration}: {steps:.0f} steps, {rate:.0f}/s, best mean return {best:.1f}"
        )
        if best >= goal:
            break
    algorithm.stop()
    return 0 if best >= goal else 1


if __name__ == "__main__":
    raise SystemExit(main())
