# SPDX-License-Identifier: Apache-2.0
"""PPO in NumPy learns to find a key, open a door, and get to the goal: MiniGrid-DoorKey-8x8.

    python ppo_minigrid.py --steps 4000000                # until the last 100 episodes return 0.9
    python ppo_minigrid.py --steps 4000000 --reference    # the same on minigrid's own environments

Needs envpool-minigrid; the second line also minigrid and gymnasium, whose environments then step in
processes of their own. Without arguments it stops after a few updates, when it has learned nothing.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import time
from collections import deque
from typing import Any

# Before NumPy is there: the network is too small for more, which would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import envpool
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

TASK = "MiniGrid-DoorKey-8x8-v0"
NUM_ENVS, ROLLOUT = 64, 128  # steps of every environment between two updates
EPOCHS, MINIBATCHES = 4, 16
INPUTS, HIDDEN, ACTIONS = 7 * 7 * 20, 64, 6  # action 6, done, does nothing here
LEARNING_RATE, GAMMA, LAMBDA, CLIP = 1e-3, 0.99, 0.95, 0.2
ENTROPY, VALUE, MAX_GRADIENT = 0.01, 0.5, 0.5


class Network:
    """Two hidden layers, shared by the logits of the policy and the value; trained by Adam."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Random weights; those of the outputs are small."""
        sizes = ((INPUTS, HIDDEN, 0.3), (HIDDEN, HIDDEN, 1.0), (HIDDEN, ACTIONS + 1, 0.05))
        self.weights = []
        for rows, columns, scale in sizes:
            kernel = rng.normal(0, scale / np.sqrt(HIDDEN), (rows, columns))
            self.weights += [kernel.astype(np.float32), np.zeros(columns, np.float32)]
        self.means = [np.zeros_like(w) for w in self.weights]
        self.squares = [np.zeros_like(w) for w in self.weights]
        self.updates = 0

    def __call__(self, obs: Array) -> tuple[Array, Array, list[Array]]:
        """Log probabilities of actions, values, and what the layers were given."""
        inputs = [obs]
        for i in (0, 2):
            inputs.append(np.tanh(inputs[-1] @ self.weights[i] + self.weights[i + 1]))
        out = inputs[-1] @ self.weights[4] + self.weights[5]
        logits = out[:, :-1] - out[:, :-1].max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), out[:, -1], inputs

    def learn(self, gradient: Array, inputs: list[Array]) -> None:
        """One step of Adam against the gradient of the loss by the outputs."""
        gradients: list[Array] = []
        for i in (4, 2, 0):
            layer = inputs[i // 2]
            gradients = [layer.T @ gradient, gradient.sum(axis=0), *gradients]
            gradient = (gradient @ self.weights[i].T) * (1 - layer**2) if i else gradient
        norm = math.sqrt(sum(float((g**2).sum()) for g in gradients))
        self.updates += 1
        for w, m, s, g in zip(self.weights, self.means, self.squares, gradients, strict=True):
            g = g * min(1.0, MAX_GRADIENT / norm)
            m += 0.1 * (g - m)
            s += 0.001 * (g**2 - s)
            mean, square = m / (1 - 0.9**self.updates), s / (1 - 0.999**self.updates)
            w -= LEARNING_RATE * mean / (np.sqrt(square) + 1e-5)


def make_envs(task: str, reference: bool) -> Any:
    """64 environments that observe what the agent sees as bits, and go on after an end."""
    if not reference:
        return envpool.make(task, num_envs=NUM_ENVS, seed=1, obs_mode="onehot")
    import gymnasium

    wrappers: Any = importlib.import_module("minigrid.wrappers")

    def make() -> Any:
        return wrappers.ImgObsWrapper(wrappers.OneHotPartialObsWrapper(gymnasium.make(task)))

    return gymnasium.vector.AsyncVectorEnv([make] * NUM_ENVS)


def bits(obs: Any) -> Array:
    """The image of each environment as a row of numbers."""
    image = obs["image"] if isinstance(obs, dict) else obs
    rows: Array = image.reshape(NUM_ENVS, INPUTS).astype(np.float32)
    return rows


def loss_gradient(
    log_probs: Array, values: Array, action: Any, old: Array, advantage: Array, target: Array
) -> Array:
    """The gradient of PPO's clipped loss by logits and value."""
    rows = np.arange(len(action))
    chosen = log_probs[rows, action]
    ratio = np.exp(chosen - old)
    moves = np.where(advantage > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    probs = np.exp(log_probs)
    entropy = -(probs * log_probs).sum(axis=1)
    gradient = np.empty((len(action), ACTIONS + 1), np.float32)
    gradient[:, :-1] = (ratio * advantage * moves)[:, None] * probs
    gradient[rows, action] -= ratio * advantage * moves
    gradient[:, :-1] += ENTROPY * probs * (log_probs + entropy[:, None])
    gradient[:, -1] = 2 * VALUE * (values - target)
    gradient /= len(action)
    return gradient


def main() -> None:
    """Learns, and prints how it goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--steps", type=int, default=3 * NUM_ENVS * ROLLOUT)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", action="store_true", help="minigrid's own environments")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    network, envs = Network(rng), make_envs(options.task, options.reference)
    shape = (ROLLOUT, NUM_ENVS)
    obs = np.empty((*shape, INPUTS), np.float32)
    actions, played = np.empty(shape, np.int32), np.empty(shape, np.bool_)
    log_prob, value, reward, ends = (np.empty(shape, np.float32) for _ in range(4))
    now, over = bits(envs.reset(seed=options.seed)[0]), np.zeros(NUM_ENVS, np.bool_)
    returns: deque[float] = deque(maxlen=100)
    begin, stepping = time.perf_counter(), 0.0
    for update in range(max(1, options.steps // (NUM_ENVS * ROLLOUT))):
        for t in range(ROLLOUT):
            log_probs, value[t], _ = network(now)
            noise = rng.gumbel(size=log_probs.shape)
            actions[t] = (log_probs + noise).argmax(axis=1)
            log_prob[t] = log_probs[np.arange(NUM_ENVS), actions[t]]
            obs[t], played[t] = now, ~over  # after an end comes a reset, whatever the action
            called = time.perf_counter()
            new, reward[t], terminated, truncated, _ = envs.step(actions[t])
            stepping += time.perf_counter() - called
            now, over = bits(new), terminated | truncated
            ends[t] = over
            returns.extend(reward[t][over])
        advantage, later = np.zeros(NUM_ENVS, np.float32), network(now)[1]
        advantages = np.empty(shape, np.float32)
        for t in reversed(range(ROLLOUT)):
            going_on = 1 - ends[t]
            delta = reward[t] + GAMMA * later * going_on - value[t]
            advantage = delta + GAMMA * LAMBDA * going_on * advantage
            advantages[t], later = advantage, value[t]
        targets = advantages + value
        rows = np.flatnonzero(played)
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(rows), MINIBATCHES):
                flat = [x.reshape(-1)[part] for x in (actions, log_prob, advantages, targets)]
                # The advantages are not scaled: a random agent gets a reward in one of thirty
                # episodes, and the noise of the others would become as large.
                log_probs, values, inputs = network(obs.reshape(-1, INPUTS)[part])
                gradient = loss_gradient(log_probs, values, *flat)
                network.learn(gradient, inputs)
        steps = (update + 1) * NUM_ENVS * ROLLOUT
        mean = float(np.mean(returns)) if returns else 0.0
        seconds = time.perf_counter() - begin
        if update % 10 == 9 or mean > 0.9:
            print(
                f"{steps:8} steps, {seconds:6.1f} s, {stepping:6.1f} of them stepping, {mean:.3f}",
                flush=True,
            )
        if len(returns) == 100 and mean > 0.9:
            break
    envs.close()
    print(f"mean return of the last {len(returns)} episodes: {mean:.3f}, after {steps} steps")


if __name__ == "__main__":
    main()
