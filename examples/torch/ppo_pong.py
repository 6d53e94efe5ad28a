# SPDX-License-Identifier: Apache-2.0
"""PPO in PyTorch plays Pong from its screens, on a pool or on Gymnasium's vector environments.

    pip install "envpool-atari[roms]" torch
    python ppo_pong.py --steps 2500000 --log pool.csv
    pip install opencv-python-headless          # of Gymnasium's wrapper for Atari
    python ppo_pong.py --steps 2500000 --envs gymnasium --log gymnasium.csv

Both give gray screens of 42 x 42, four stacked, each action held for four frames, up to 30 frames
without an action at the start of a game; the learner does not know which it has. The log has a line
for each update: minutes by the clock, minutes of CPU time, steps, and the mean score of the last 40
games; draw_curve.py draws it. Without arguments it stops after two updates.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

NUM_ENVS = 16
ROLLOUT = 128  # steps of every environment between two updates
EPOCHS, MINIBATCH = 4, 256  # how often an update sees the rollout, and how many rows at a time
SIZE = 42  # height and width of a screen
LEARNING_RATE = 1e-3  # at the start; it falls to 0 over the training
GAMMA, LAMBDA = 0.99, 0.95  # discount, and how far an advantage looks ahead
CLIP = 0.1  # how far the odds of an action may move in an update
VALUE_WEIGHT, ENTROPY_WEIGHT, MAX_GRADIENT = 0.5, 0.01, 0.5
SCORED_GAMES = 40


class Network(nn.Module):
    """Two convolutions and a hidden layer; 220,000 weights."""

    def __init__(self, num_actions: int) -> None:
        """Weights are orthogonal; the policy's are small, so that it begins at random."""
        super().__init__()
        side = (SIZE - 6) // 3 + 1
        side = (side - 4) // 2 + 1
        self.body = nn.Sequential(
            _begun(nn.Conv2d(4, 16, 6, 3)),
            nn.ReLU(),
            _begun(nn.Conv2d(16, 32, 4, 2)),
            nn.ReLU(),
            nn.Flatten(),
            _begun(nn.Linear(32 * side * side, 256)),
            nn.ReLU(),
        )
        self.policy = _begun(nn.Linear(256, num_actions), 0.01)
        self.value = _begun(nn.Linear(256, 1), 1.0)

    def forward(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities, (rows, actions), and values, (rows,).

        Args:
            obs: uint8, (rows, 4, SIZE, SIZE).
        """
        pixels = obs.float().div(255).contiguous(memory_format=torch.channels_last)
        hidden = self.body(pixels)
        return self.policy(hidden).log_softmax(1), self.value(hidden)[:, 0]


def _begun(layer: Any, gain: float = 2**0.5) -> Any:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def pool(seed: int) -> Any:
    """A pool: the step that ends a game also begins the next one."""
    import envpool

    return envpool.make(
        "Pong-v5", "vector", num_envs=NUM_ENVS, seed=seed, img_height=SIZE, img_width=SIZE,
        autoreset_mode="same_step",
    )  # fmt: skip


def gymnasium_envs(seed: int) -> Any:
    """The same from ale-py and Gymnasium, one environment after the other in this process."""
    import ale_py
    import gymnasium
    from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)

    def make() -> Any:
        game = gymnasium.make("ALE/Pong-v5", frameskip=1, repeat_action_probability=0.0)
        return FrameStackObservation(AtariPreprocessing(game, screen_size=SIZE), 4)

    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    return gymnasium.vector.SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=mode)


def advantages(
    reward: torch.Tensor, value: torch.Tensor, following: torch.Tensor, ended: torch.Tensor
) -> torch.Tensor:
    """Generalised advantage estimation; all are (ROLLOUT, NUM_ENVS), but `following` (NUM_ENVS,).

    Args:
        reward: Of the actions.
        value: Of the observations before them.
        following: Of the observations after the last ones.
        ended: 1 where the step ended a point. A game that was cut off counts as one that ended:
            that is after 27,000 steps, and rare.
    """
    advantage = torch.zeros_like(reward)
    later = torch.zeros(NUM_ENVS)
    for t in reversed(range(ROLLOUT)):
        goes_on = 1 - ended[t]
        surprise = reward[t] + GAMMA * following * goes_on - value[t]
        later = surprise + GAMMA * LAMBDA * goes_on * later
        advantage[t] = later
        following = value[t]
    return advantage


def improve(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: tuple[torch.Tensor, ...],
) -> None:
    """Some steps down the gradient of PPO's clipped objective.

    Args:
        network: What is improved.
        optimizer: Its.
        rollout: Observations, actions, their log-probabilities, advantages and returns, by rows.
    """
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(rollout[0])).split(MINIBATCH):
            obs, action, before, advantage, goal = (part[rows] for part in rollout)
            log_probs, value = network(obs)
            odds = (log_probs.gather(1, action[:, None])[:, 0] - before).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            gain = torch.min(odds * advantage, odds.clamp(1 - CLIP, 1 + CLIP) * advantage)
            entropy = -(log_probs.exp() * log_probs).sum(1)
            error = (value - goal).square()
            loss = -gain.mean() + VALUE_WEIGHT * 0.5 * error.mean()
            loss -= ENTROPY_WEIGHT * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
            optimizer.step()


def train(envs: Any, steps: int, seed: int, log: Any) -> None:
    """Plays and learns, and writes a line for each update."""
    torch.manual_seed(seed)
    network = Network(int(envs.single_action_space.n)).to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE, eps=1e-5)
    score, scores = np.zeros(NUM_ENVS), deque[float](maxlen=SCORED_GAMES)
    all_obs = torch.zeros((ROLLOUT, NUM_ENVS, 4, SIZE, SIZE), dtype=torch.uint8)
    actions = torch.zeros((ROLLOUT, NUM_ENVS), dtype=torch.long)
    log_prob, value, rewards, ends = (torch.zeros((ROLLOUT, NUM_ENVS)) for _ in range(4))
    obs, _ = envs.reset(seed=seed)
    start = time.perf_counter()
    updates = steps // (ROLLOUT * NUM_ENVS)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)
        with torch.no_grad():
            for t in range(ROLLOUT):
                all_obs[t] = torch.as_tensor(obs)
                log_probs, value[t] = network(all_obs[t])
                actions[t] = torch.multinomial(log_probs.exp(), 1)[:, 0]
                log_prob[t] = log_probs.gather(1, actions[t][:, None])[:, 0]
                obs, reward, terminated, truncated, _ = envs.step(actions[t].numpy())
                ended = terminated | truncated
                rewards[t] = torch.as_tensor(np.asarray(reward, np.float32))
                # Each point is served anew, so that what was done before does not count for it.
                ends[t] = torch.as_tensor((ended | (reward != 0)).astype(np.float32))
                score += reward
                scores += score[ended].tolist()
                score[ended] = 0
            _, following = network(torch.as_tensor(obs))
        advantage = advantages(rewards, value, following, ends)
        parts = (all_obs, actions, log_prob, advantage, advantage + value)
        improve(network, optimizer, tuple(part.flatten(0, 1) for part in parts))
        minutes, cpu = (time.perf_counter() - start) / 60, time.process_time() / 60
        mean = np.mean(scores) if scores else float("nan")
        step = (update + 1) * ROLLOUT * NUM_ENVS
        log.writerow([f"{minutes:.2f}", f"{cpu:.2f}", step, f"{mean:.2f}"])
        if update % 20 == 0 or update == updates - 1:
            print(f"{minutes:6.1f} min  step {step:9,}  score {mean:6.2f}", flush=True)


def main() -> None:
    """Trains."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--envs", choices=("pool", "gymnasium"), default="pool")
    parser.add_argument("--steps", type=int, default=2 * ROLLOUT * NUM_ENVS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", help="a CSV file")
    options = parser.parse_args()
    envs = (pool if options.envs == "pool" else gymnasium_envs)(options.seed)
    with Path(options.log or os.devnull).open("w", buffering=1, newline="") as file:
        log = csv.writer(file)
        log.writerow(["minutes", "cpu_minutes", "steps", "score"])
        train(envs, options.steps, options.seed, log)
    envs.close()


if __name__ == "__main__":
    main()
