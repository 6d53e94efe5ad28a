# SPDX-License-Identifier: Apache-2.0
"""PPO in plain PyTorch, in one file as CleanRL has it: `pip install torch envpool-classic`."""

from __future__ import annotations

import envpool
import gymnasium
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from torch import nn

ROLLOUT, EPOCHS, MINIBATCH = 32, 20, 256
GAMMA, LAMBDA = 0.98, 0.8
torch.manual_seed(1)
torch.set_num_threads(1)  # the networks are too small for more

pool, steps = in_pool(150_000)
if pool:
    envs = envpool.make(TASK, num_envs=NUM_ENVS, seed=1)
else:
    envs = gymnasium.make_vec(TASK, num_envs=NUM_ENVS, vectorization_mode="sync")


def layers(outputs: int, scale: float) -> nn.Module:
    """A network with two hidden layers."""
    net = nn.Sequential(
        nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )
    nn.init.orthogonal_(net[-1].weight, scale)
    return net


actor, critic = layers(2, 0.01), layers(1, 1.0)
weights = [*actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(weights, lr=1e-3, eps=1e-5)
updates = steps // (ROLLOUT * NUM_ENVS)

clock = Clock("CleanRL-style PPO, PyTorch", "torch")
obs = torch.from_numpy(envs.reset(seed=1)[0])
done = torch.zeros(NUM_ENVS)
for update in range(updates):
    left = 1 - update / updates
    optimizer.param_groups[0]["lr"] = 1e-3 * left
    rows = []
    for _ in range(ROLLOUT):
        with torch.no_grad():
            logits = actor(obs)
            policy = torch.distributions.Categorical(logits=logits)
            action = policy.sample()
            value = critic(obs)[:, 0]
        # A result is used as it is: the pool writes elsewhere as long as the tensor lives.
        new, reward, terminated, truncated, _ = envs.step(action.numpy())
        reward = torch.from_numpy(reward).float()
        rows.append((obs, action, policy.log_prob(action), value, reward, done))
        obs = torch.from_numpy(new)
        done = torch.from_numpy(terminated | truncated).float()
    all_obs, actions, log_probs, values, rewards, dones = map(torch.stack, zip(*rows, strict=True))
    with torch.no_grad():
        next_value, advantage, advantages = critic(obs)[:, 0], torch.zeros(NUM_ENVS), []
        over = done
        for t in reversed(range(ROLLOUT)):
            delta = rewards[t] + GAMMA * next_value * (1 - over) - values[t]
            advantage = delta + GAMMA * LAMBDA * (1 - over) * advantage
            advantages.append(advantage)
            next_value, over = values[t], dones[t]
        advantages = torch.stack(advantages[::-1])
        returns = advantages + values
    # In the step after the end of an episode the environment is reset, whatever the action.
    played = torch.nonzero(dones.flatten() == 0)[:, 0]
    flat = [x.flatten(0, 1) for x in (all_obs, actions, log_probs, advantages, returns)]
    for _ in range(EPOCHS):
        for rows_of_batch in played[torch.randperm(len(played))].split(MINIBATCH):
            b_obs, b_action, b_log_prob, b_advantage, b_return = (x[rows_of_batch] for x in flat)
            b_advantage = (b_advantage - b_advantage.mean()) / (b_advantage.std() + 1e-8)
            logits = actor(b_obs)
            policy = torch.distributions.Categorical(logits=logits)
            ratio = (policy.log_prob(b_action) - b_log_prob).exp()
            clipped = ratio.clamp(1 - 0.2 * left, 1 + 0.2 * left)
            loss = -torch.min(b_advantage * ratio, b_advantage * clipped).mean()
            loss = loss + 0.5 * (critic(b_obs)[:, 0] - b_return).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 0.5)
            optimizer.step()
clock.stop()
with torch.no_grad():
    score = evaluate(lambda state: int(actor(torch.from_numpy(state)).argmax()))
clock.report(score, updates * ROLLOUT * NUM_ENVS)
