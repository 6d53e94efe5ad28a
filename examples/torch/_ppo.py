# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch, for this folder's scripts and torch_ppo.py: the loop, the loss and the log.

The log has a line for each update: minutes by the clock, minutes of CPU time, steps, the mean score
of the last episodes, and, where there are held-out environments, their mean score.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections import deque
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn


@dataclass
class Settings:
    """The learner's settings; each is an option of the command line as well.

    Attributes:
        num_envs: Environments.
        horizon: Steps of each environment between two updates.
        epochs: The number of times that an update uses each step.
        minibatch: Steps per gradient.
        learning_rate: Adam's rate at the start; it falls linearly to 0.
        discount: The discount of later rewards, per step.
        trace: Lambda of generalised advantage estimation.
        clip: The limit of the ratio of probabilities, on either side of 1.
        entropy: Weight of the entropy in the loss.
        reward_scale: Rewards are multiplied by it before they are learned from.
        rewards_end: Whether a reward ends the credit of earlier actions, as a point in Pong does:
            each point begins a new serve.
        scored: The score is the mean of that many last episodes.
        eval_every: The number of updates between two runs of the held-out environments.
    """

    num_envs: int = 16
    horizon: int = 128
    epochs: int = 4
    minibatch: int = 256
    learning_rate: float = 1e-3
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.1
    entropy: float = 0.01
    reward_scale: float = 1.0
    rewards_end: bool = False
    scored: int = 40
    eval_every: int = 8


def orthogonal(layer: Any, gain: float = 2**0.5) -> Any:
    """The layer, with orthogonal weights times `gain` and no bias."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def hidden(inputs: int) -> nn.Sequential:
    """Two hidden layers for observations of so many numbers."""
    layers = [orthogonal(nn.Linear(size, 64)) for size in (inputs, 64)]
    return nn.Sequential(nn.Flatten(), layers[0], nn.Tanh(), layers[1], nn.Tanh())


class Network(nn.Module):
    """A body for the observations, and a layer each for policy and value on top of it."""

    def __init__(self, body: nn.Module, obs_shape: tuple[int, ...], num_actions: int) -> None:
        """The policy's weights are small, so that it begins uniform.

        Args:
            body: From float32 (rows, *obs_shape) to (rows, features).
            obs_shape: The shape of an observation, channels first.
            num_actions: The number of the environment's actions.
        """
        super().__init__()
        size = body(torch.zeros(1, *obs_shape)).shape[1]
        self.body = body
        self.policy = orthogonal(nn.Linear(size, num_actions), 0.01)
        self.value = orthogonal(nn.Linear(size, 1), 1.0)
        self.register_buffer("mean", torch.zeros(obs_shape))
        self.register_buffer("deviation", torch.tensor(255.0))

    def normalize(self, obs: torch.Tensor) -> None:
        """Sets the mean observation and deviation: a ball is few pixels of little contrast."""
        pixels = obs.float()
        self.mean = pixels.mean(0)
        self.deviation = (pixels - self.mean).square().mean().sqrt()

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities, (rows, actions), and values, (rows,).

        Args:
            obs: (rows, *obs_shape).
        """
        inputs = (obs.float() - self.mean) / self.deviation
        if inputs.ndim == 4:
            inputs = inputs.contiguous(memory_format=torch.channels_last)
        features = self.body(inputs)
        return self.policy(features).log_softmax(1), self.value(features)[:, 0]


class Scores:
    """The mean score of the last episodes of some environments."""

    def __init__(self, num_envs: int, scored: int) -> None:
        """No episode has ended."""
        self._running, self._ended = np.zeros(num_envs), deque[float](maxlen=scored)

    def add(self, reward: Any, ended: Any) -> None:
        """Adds the rewards of a step, and whether it ended episodes; both are (environments,)."""
        reward, ended = (np.asarray(torch.as_tensor(x).cpu()) for x in (reward, ended))
        self._running += reward
        self._ended += self._running[ended].tolist()
        self._running[ended] = 0

    def mean(self) -> float:
        """The mean; NaN before the first end."""
        return float(np.mean(self._ended)) if self._ended else float("nan")


def advantages(
    reward: torch.Tensor, value: torch.Tensor, last: torch.Tensor, ended: torch.Tensor, s: Settings
) -> torch.Tensor:
    """Generalised advantage estimation (Schulman et al., 2016); all are (horizon, num_envs).

    Args:
        reward: The rewards of the actions.
        value: The values of the observations before them.
        last: The values of the observations after the last ones, (num_envs,).
        ended: 1 where nothing after the step counts for it. An episode that was cut off counts as
            one that ended: rare here.
        s: Discount and trace.
    """
    advantage, later = torch.zeros_like(reward), torch.zeros_like(last)
    for t in reversed(range(len(reward))):
        goes_on = 1 - ended[t]
        error = reward[t] + s.discount * last * goes_on - value[t]
        advantage[t] = later = error + s.discount * s.trace * goes_on * later
        last = value[t]
    return advantage


def update(network: Network, adam: torch.optim.Adam, rows: list[torch.Tensor], s: Settings) -> None:
    """Some epochs down the gradient of PPO's clipped objective.

    Args:
        network: The network that learns.
        adam: Its optimizer.
        rows: Observations, actions, their log-probabilities, advantages and returns.
        s: Settings.
    """
    for _ in range(s.epochs):
        for some in torch.randperm(len(rows[0]), device=rows[0].device).split(s.minibatch):
            obs, action, before, advantage, returns = (part[some] for part in rows)
            log_probs, value = network(obs)
            ratio = (log_probs.gather(1, action[:, None])[:, 0] - before).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.min(ratio * advantage, ratio.clamp(1 - s.clip, 1 + s.clip) * advantage)
            entropy = -(log_probs.exp() * log_probs).sum(1)
            loss = (0.25 * (value - returns).square() - gain - s.entropy * entropy).mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            adam.step()


def train(
    envs: Any, network: Network, s: Settings, limit: argparse.Namespace, held_out: Any = None
) -> None:
    """Plays and learns, and writes a line for each update.

    Args:
        envs: Environments of the type "vector", whose step that ends an episode also resets. Their
            results are NumPy's arrays, or tensors on the network's device.
        network: The network that learns, on its device.
        s: Settings.
        limit: `steps`, `minutes`, `seed` and `log`, of `options`.
        held_out: Environments that are played and not learned from.
    """
    device = network.policy.weight.device
    adam = torch.optim.Adam(network.parameters(), s.learning_rate, eps=1e-5)
    scores = Scores(s.num_envs, s.scored)
    shape = (s.horizon, s.num_envs)
    obs, _ = envs.reset(seed=limit.seed)
    first, are_tensors = torch.as_tensor(obs), torch.is_tensor(obs)
    all_obs = torch.zeros((*shape, *first.shape[1:]), dtype=first.dtype, device=device)
    actions = torch.zeros(shape, dtype=torch.long, device=device)
    log_prob, value, rewards, ends = (torch.zeros(shape, device=device) for _ in range(4))

    def act(obs: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        seen = torch.as_tensor(obs).to(device)
        log_probs, values = network(seen)
        action = torch.multinomial(log_probs.exp(), 1)
        return seen, action[:, 0], log_probs.gather(1, action)[:, 0], values

    if held_out is not None:
        held_obs, _ = held_out.reset(seed=limit.seed + 1)
        held_scores = Scores(held_out.num_envs, s.scored)
    start, cpu_start = time.perf_counter(), time.process_time()
    done, number = 0.0, 0  # share of the training that is over, updates
    with Path(limit.log or os.devnull).open("w", buffering=1, newline="") as file:
        log = csv.writer(file)
        log.writerow(["minutes", "cpu_minutes", "steps", "score", "held_out"])
        while done < 1:
            adam.param_groups[0]["lr"] = s.learning_rate * (1 - done)
            with torch.no_grad():
                for t in range(s.horizon):
                    all_obs[t], actions[t], log_prob[t], value[t] = act(obs)
                    action = actions[t] if are_tensors else actions[t].cpu().numpy()
                    obs, reward, terminated, truncated, _ = envs.step(action)
                    ended = terminated | truncated
                    scores.add(reward, ended)
                    if s.rewards_end:
                        ended = ended | (reward != 0)
                    rewards[t] = torch.as_tensor(reward * s.reward_scale)
                    ends[t] = torch.as_tensor(ended)
                last = act(obs)[3]
                if held_out is not None and number % s.eval_every == 0:
                    for _ in range(s.horizon):
                        held_obs, reward, terminated, truncated, _ = held_out.step(
                            act(held_obs)[1].cpu().numpy()
                        )
                        held_scores.add(reward, terminated | truncated)
            advantage = advantages(rewards, value, last, ends, s)
            parts = (all_obs, actions, log_prob, advantage, advantage + value)
            if number:
                update(network, adam, [part.flatten(0, 1) for part in parts], s)
            else:  # actions of a network with other inputs are not learned from
                network.normalize(all_obs.flatten(0, 1))
            number += 1
            steps = number * s.horizon * s.num_envs
            minutes = (time.perf_counter() - start) / 60
            cpu = (time.process_time() - cpu_start) / 60
            done = max(steps / limit.steps, minutes / limit.minutes)
            held = held_scores.mean() if held_out is not None else float("nan")
            row = (f"{minutes:.2f}", f"{cpu:.2f}", steps, f"{scores.mean():.2f}", f"{held:.2f}")
            log.writerow(row)
            if number % 20 == 0 or done >= 1:
                print("{} min  cpu {}  step {:9,}  score {}  held out {}".format(*row), flush=True)


def options(doc: str | None, s: Settings) -> argparse.ArgumentParser:
    """The command line of an example: limits, and every setting; without limits, three updates.

    Args:
        doc: The example's docstring.
        s: Its settings.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0] if doc else None)
    parser.add_argument("--steps", type=float, default=3 * s.horizon * s.num_envs)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="at most, by the clock")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", help="a CSV file")
    for field in fields(s):
        default = getattr(s, field.name)
        name = f"--{field.name.replace('_', '-')}"
        if isinstance(default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=default)
        else:
            parser.add_argument(name, type=type(default), default=default)
    return parser
