# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch on environments in JAX: tensors in, tensors out, without copies between them.

pip install envpool-jax gymnax six torch
python examples/torch/jax_environments.py
python examples/torch/jax_environments.py jax:gymnax/Breakout-MinAtar --steps 1500000
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import envpool
import torch
from torch import nn

NUM_ENVS, HORIZON, EPOCHS, BATCHES = 64, 128, 4, 8
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3


def network(size: int, outputs: int, last: float) -> nn.Sequential:
    """Two hidden layers, with orthogonal weights; those of the last layer are scaled."""
    layers = [nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)]
    for layer, scale in zip(layers[::2], (2**0.5, 2**0.5, last), strict=True):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


def main() -> None:
    """Trains and prints how the returns have grown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("task", nargs="?", default="jax:gymnax/CartPole-v1")
    parser.add_argument("--steps", type=int, default=800_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    updates = arguments.steps // (NUM_ENVS * HORIZON)
    since = time.perf_counter()
    with envpool.make(
        arguments.task, num_envs=NUM_ENVS, array="torch", seed=arguments.seed
    ) as pool:
        returns = train(pool, updates)
    seconds = time.perf_counter() - since
    print(f"{arguments.task}: {updates * NUM_ENVS * HORIZON:,} steps in {seconds:.0f} s")
    tenth = max(1, updates // 10)
    curve = [
        sum(some) / len(some) for some in (returns[i : i + tenth] for i in range(0, updates, tenth))
    ]
    print("mean return of each tenth:", *(f"{mean:.1f}" for mean in curve))


def train(pool: Any, updates: int) -> list[float]:
    """The mean return of the episodes of each update."""
    obs = pool.reset()[0].flatten(1).float()
    device = obs.device  # JAX's device: a GPU if there is one
    policy = network(obs.shape[1], int(pool.action_space.n), 0.01).to(device)
    critic = network(obs.shape[1], 1, 1.0).to(device)
    parameters = [*policy.parameters(), *critic.parameters()]
    adam = torch.optim.Adam(parameters, RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.01, updates)
    score = torch.zeros(NUM_ENVS, device=device)
    fresh = torch.zeros(NUM_ENVS, dtype=torch.bool, device=device)
    returns = []
    for _ in range(updates):
        rows: list[Any] = []
        finished = []
        with torch.no_grad():
            for _ in range(HORIZON):
                choice = torch.distributions.Categorical(logits=policy(obs))
                action = choice.sample()
                seen, reward, terminated, truncated, _ = pool.step(action)
                over = terminated | truncated
                score = score + reward
                finished.append(score[over])
                score = torch.where(over, 0.0, score)
                value = critic(obs)[:, 0]
                logp = choice.log_prob(action)
                rows.append((obs, action, logp, value, reward, terminated, over, ~fresh))
                obs, fresh = seen.flatten(1).float(), over
            last = critic(obs)[:, 0]
        ended = torch.cat(finished)
        returns.append(float(ended.mean()) if len(ended) else 0.0)
        learn(
            [torch.stack(column) for column in zip(*rows, strict=True)], last, policy, critic, adam
        )
        schedule.step()
    return returns


def learn(rows: list[Any], last: Any, policy: Any, critic: Any, adam: Any) -> None:
    """Some epochs over the rows that are transitions, not resets."""
    obs, action, logp, value, reward, terminated, over, used = rows
    # After an episode that was cut off, `following` is the value of its last observation.
    following = torch.cat([value[1:], last[None]])
    delta = reward + GAMMA * following * ~terminated - value
    advantage = torch.zeros_like(delta)
    after = torch.zeros_like(last)
    for at in range(HORIZON - 1, -1, -1):
        after = advantage[at] = delta[at] + GAMMA * LAMBDA * ~over[at] * after
    target = advantage + value
    data = [leaf[used] for leaf in (obs, action, logp, advantage, target)]
    data[3] = (data[3] - data[3].mean()) / (data[3].std() + 1e-8)
    for _ in range(EPOCHS):
        for some in torch.randperm(len(data[0])).chunk(BATCHES):
            obs, action, logp, advantage, target = (leaf[some] for leaf in data)
            choice = torch.distributions.Categorical(logits=policy(obs))
            ratio = (choice.log_prob(action) - logp).exp()
            clipped = ratio.clip(1 - CLIP, 1 + CLIP)
            gain = torch.minimum(ratio * advantage, clipped * advantage)
            error = (critic(obs)[:, 0] - target) ** 2
            loss = (-gain + 0.5 * error - ENTROPY * choice.entropy()).mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*policy.parameters(), *critic.parameters()], 0.5)
            adam.step()


if __name__ == "__main__":
    main()
