# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch on environments in JAX: tensors in, tensors out, without copies between them.

    pip install envpool-jax gymnax six torch
    python jax_environments.py --steps 400000
    python jax_environments.py jax:gymnax/Breakout-MinAtar --steps 1500000

Without arguments it stops after three updates.
"""

from __future__ import annotations

import math
from dataclasses import fields

import envpool
import torch
from _ppo import Network, Settings, hidden, options, train


def main() -> None:
    """Trains on JAX's device, a GPU if there is one."""
    parser = options(__doc__, Settings(num_envs=64, minibatch=1024, clip=0.2, reward_scale=0.1))
    parser.add_argument("task", nargs="?", default="jax:gymnax/CartPole-v1")
    given = parser.parse_args()
    s = Settings(**{field.name: getattr(given, field.name) for field in fields(Settings)})
    torch.manual_seed(given.seed)
    with envpool.make(
        given.task, num_envs=s.num_envs, array="torch", autoreset_mode="same_step"
    ) as envs:
        shape, num_actions = envs.observation_space.shape, int(envs.action_space.n)
        network = Network(hidden(math.prod(shape)), shape, num_actions)
        train(envs, network.to(envs.reset()[0].device), s, given)


if __name__ == "__main__":
    main()
