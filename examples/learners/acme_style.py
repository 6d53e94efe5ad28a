# SPDX-License-Identifier: Apache-2.0
"""An acme-style loop over a batched dm_env: `pip install torch envpool-classic`.

Acme itself has no release for NumPy 2 and Python 3.11. This is its shape: an environment loop asks
an actor for actions and lets it observe timesteps; the learner is double DQN.
"""

from __future__ import annotations

from typing import Any

import dm_env
import envpool
import gymnasium
import numpy as np
import torch
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from torch import nn

CAPACITY, BATCH, WARMUP, GAMMA = 50_000, 128, 2_000, 0.98
pool, steps = in_pool(120_000)
torch.manual_seed(1)
torch.set_num_threads(1)


class OneByOne:
    """Gymnasium's environments behind dm_env, as Acme's wrappers convert them."""

    def __init__(self) -> None:
        """Makes as many environments as the pool has."""
        self.envs = [gymnasium.make(TASK) for _ in range(NUM_ENVS)]
        self.over = [True] * NUM_ENVS
        self.seeds: list[int | None] = [1 + i for i in range(NUM_ENVS)]  # the pool's seeds

    def reset(self) -> Any:
        """The first timesteps."""
        self.over = [True] * NUM_ENVS
        return self.step([0] * NUM_ENVS)

    def step(self, actions: Any) -> Any:
        """The next timesteps: after a last timestep comes a first one."""
        rows = [self._step(i, int(action)) for i, action in enumerate(actions)]
        return dm_env.TimeStep(
            *(np.asarray(column, np.float32) for column in zip(*rows, strict=True))
        )

    def _step(self, i: int, action: int) -> Any:
        if self.over[i]:
            self.over[i] = False
            obs, _ = self.envs[i].reset(seed=self.seeds[i])
            self.seeds[i] = None
            return int(dm_env.StepType.FIRST), 0.0, 1.0, obs
        obs, reward, terminated, truncated, _ = self.envs[i].step(action)
        self.over[i] = terminated or truncated
        kind = dm_env.StepType.LAST if self.over[i] else dm_env.StepType.MID
        return int(kind), reward, 0.0 if terminated else 1.0, obs


class Actor:
    """Chooses actions, keeps its observations, and learns from them."""

    def __init__(self) -> None:
        """A fresh network and an empty memory."""
        self.net, self.target = self._layers(), self._layers()
        self.target.load_state_dict(self.net.state_dict())
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        self.memory = [torch.zeros(CAPACITY, 4), torch.zeros(CAPACITY, dtype=torch.int64)]
        self.memory += [torch.zeros(CAPACITY), torch.zeros(CAPACITY), torch.zeros(CAPACITY, 4)]
        self.added = 0

    def _layers(self) -> nn.Module:
        return nn.Sequential(
            nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2)
        )

    def select_action(self, obs: Any, epsilon: float) -> Any:
        """The best action, or a random one with probability `epsilon`."""
        with torch.no_grad():
            best = self.net(obs).argmax(1)
        random = torch.rand(len(best)) < epsilon
        return torch.where(random, torch.randint(2, best.shape), best)

    def observe(self, obs: Any, action: Any, timestep: Any, new: Any) -> None:
        """Keeps the transitions that do not start an episode."""
        played = torch.from_numpy(np.asarray(timestep.step_type) != 0)
        values = (obs, action, torch.from_numpy(timestep.reward))
        values += (torch.from_numpy(timestep.discount), new)
        count = int(played.sum())
        rows = (torch.arange(count) + self.added) % CAPACITY
        for column, value in zip(self.memory, values, strict=True):
            column[rows] = value[played].to(column.dtype)
        self.added += count

    def update(self, rate: float) -> None:
        """One step of learning."""
        rows = torch.randint(min(self.added, CAPACITY), (BATCH,))
        obs, action, reward, discount, new = (column[rows] for column in self.memory)
        with torch.no_grad():
            best = self.net(new).argmax(1, keepdim=True)
            target = reward + GAMMA * discount * self.target(new).gather(1, best)[:, 0]
        value = self.net(obs).gather(1, action[:, None])[:, 0]
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.zero_grad()
        nn.functional.smooth_l1_loss(value, target).backward()
        self.optimizer.step()
        with torch.no_grad():
            for old, new in zip(self.target.parameters(), self.net.parameters(), strict=True):
                old.lerp_(new, 0.01)


def observation(timestep: Any) -> Any:
    """The observation as a tensor, without a copy."""
    return torch.from_numpy(timestep.observation.obs if pool else timestep.observation)


envs = envpool.make_dm(TASK, num_envs=NUM_ENVS, seed=1) if pool else OneByOne()
actor = Actor()
clock = Clock("Acme-style loop, double DQN", "dm-env")
obs = observation(envs.reset())
for step in range(steps // NUM_ENVS):
    progress = step * NUM_ENVS / steps
    action = actor.select_action(obs, max(0.02, 1 - 5 * progress))
    timestep = envs.step(action.numpy())
    new = observation(timestep)
    actor.observe(obs, action, timestep, new)
    obs = new
    if actor.added >= WARMUP:
        for _ in range(2):
            actor.update(1e-3 * (1 - progress))
clock.stop()
with torch.no_grad():
    score = evaluate(lambda state: int(actor.net(torch.from_numpy(state)).argmax()))
clock.report(score, steps // NUM_ENVS * NUM_ENVS)
