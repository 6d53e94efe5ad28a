# SPDX-License-Identifier: Apache-2.0
"""PPO in NumPy: lands a craft, finds a key and opens a door, plays NetHack, or scores goals.

    python ppo.py lander --steps 2000000             # until 100 episodes return 200 on average
    python ppo.py lander --steps 2000000 --reference sync     # the same on Gymnasium's environments
    python ppo.py doorkey --steps 4000000            # until they return 0.9
    python ppo.py doorkey --steps 4000000 --reference async   # ... minigrid's own, in processes
    python ppo.py room --steps 1000000               # a room of MiniHack, until they return 0.9
    python ppo.py score --steps 4000000              # NetHack for points, without an end
    python ppo.py close --steps 1000000              # football, until 0.9 of episodes have a goal
    python ppo.py keeper --steps 3000000             # three against one and a keeper, until 0.5

Needs envpool-box2d, envpool-minigrid, envpool-nethack or envpool-gfootball; with --reference also
gymnasium[box2d], minigrid or minihack; football has none.
Without --steps it stops after a few updates, when it has learned nothing.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import string
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Before NumPy is there: the network is too small for more, which would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import envpool
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

NUM_ENVS, ROLLOUT, EPOCHS, HIDDEN = 64, 128, 4, 64  # a rollout has steps of every environment
LEARNING_RATE, CLIP, ENTROPY, VALUE, MAX_GRADIENT = 1e-3, 0.2, 0.01, 0.5, 0.5


@dataclass(frozen=True)
class Task:
    """The settings of a training.

    Attributes:
        name: The task's id.
        inputs: The number of values in an observation.
        actions: The number of actions used, from 0.
        goal: The mean return of 100 episodes, or the share of won ones, at which training stops.
        minibatches: The number per epoch.
        gamma: The discount of a reward that comes a step later.
        lam: GAE's lambda, the horizon of advantages.
        scale: The factor of rewards.
        scaled: Whether advantages are scaled. Where a random agent gets a reward in one of thirty
            episodes, they are not: the noise of the others would become as large.
        options: The pool's.
        won: The least return of a won episode, if the way to the goal gives rewards, too.
    """

    name: str
    inputs: int
    actions: int
    goal: float
    minibatches: int
    gamma: float
    lam: float
    scale: float
    scaled: bool
    options: Mapping[str, Any] = field(default_factory=dict)
    won: float | None = None


# The meaning of each letter of NetHack's map; the last kind are objects.
_KINDS = (" ", ".", "#", "|-", "+", "<", ">", "@", string.ascii_lowercase, string.ascii_uppercase)
KIND_OF = np.full(256, len(_KINDS), np.uint8)
for number, letters in enumerate(_KINDS):
    KIND_OF[[ord(letter) for letter in letters]] = number
AROUND = {"observation_keys": ["chars_crop"]}  # 9 x 9 letters around the player
SEEN = 9 * 9 * (len(_KINDS) + 1)
CHECKPOINTS = {"observation": "simple115v2", "rewards": "scoring,checkpoints"}

TASKS = {
    "lander": Task("LunarLander-v3", 8, 4, 200, 8, 0.999, 0.98, 0.02, True),
    # Action 6, done, does nothing here.
    "doorkey": Task(
        "MiniGrid-DoorKey-8x8-v0",
        7 * 7 * 20,
        6,
        0.9,
        16,
        0.99,
        0.95,
        1,
        False,
        {"obs_mode": "onehot"},
    ),
    "room": Task("MiniHack-Room-5x5-v0", SEEN, 8, 0.9, 8, 0.99, 0.95, 1, True, AROUND),
    "score": Task(
        *("NetHackScore-v0", SEEN, 23, math.inf, 8, 0.995, 0.95, 0.05, True),
        {**AROUND, "max_episode_steps": 1000},
    ),
    # A goal brings the rest of the ten payments for the way to it, 2 in all.
    "close": Task(
        *("gfootball/academy_empty_goal_close-v1", 115, 19, 0.9, 16, 0.99, 0.95, 1, True),
        *(CHECKPOINTS, 1.9),
    ),
    "keeper": Task(
        *("gfootball/academy_3_vs_1_with_keeper-v1", 115, 19, 0.5, 16, 0.99, 0.95, 1, True),
        *(CHECKPOINTS, 1.9),
    ),
}


class Network:
    """Two hidden layers, shared by the logits of the policy and the value; trained by Adam."""

    def __init__(self, rng: np.random.Generator, inputs: int, actions: int) -> None:
        """Random weights; those of the outputs are small."""
        # Larger weights for bits, of which few are set, than for numbers.
        first = 0.3 / math.sqrt(HIDDEN) if inputs > HIDDEN else 1 / math.sqrt(inputs)
        sizes = (
            (inputs, HIDDEN, first),
            (HIDDEN, HIDDEN, 1 / math.sqrt(HIDDEN)),
            (HIDDEN, actions + 1, 0.05 / math.sqrt(HIDDEN)),
        )
        self.weights = []
        for rows, columns, scale in sizes:
            kernel = rng.normal(0, scale, (rows, columns))
            self.weights += [kernel.astype(np.float32), np.zeros(columns, np.float32)]
        self.means = [np.zeros_like(w) for w in self.weights]
        self.squares = [np.zeros_like(w) for w in self.weights]
        self.updates = 0

    def __call__(self, obs: Array) -> tuple[Array, Array, list[Array]]:
        """Log probabilities of actions, values, and the inputs of the layers."""
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


def make_envs(task: Task, reference: str | None, seed: int) -> Any:
    """64 environments that continue after an end; those of MiniGrid observe bits."""
    if not reference:
        return envpool.make(task.name, num_envs=NUM_ENVS, seed=seed, **task.options)
    import gymnasium

    bits = task.name.startswith("MiniGrid")
    wrappers: Any = importlib.import_module("minigrid.wrappers") if bits else None
    return gymnasium.make_vec(
        f"minihack:{task.name}" if task.name.startswith("MiniHack") else task.name,
        NUM_ENVS,
        vectorization_mode=reference,
        wrappers=[wrappers.OneHotPartialObsWrapper, wrappers.ImgObsWrapper] if bits else [],
    )


def numbers(obs: Any) -> Array:
    """The observation of each environment as a row of numbers."""
    rows: Any = obs
    if isinstance(obs, dict):
        rows = obs["image"] if "image" in obs else obs["chars_crop"]
    if rows.dtype == np.uint8 and rows.shape[1:] == (9, 9):  # letters
        rows = KIND_OF[rows][..., None] == np.arange(len(_KINDS) + 1)
    return np.asarray(rows, np.float32).reshape(NUM_ENVS, -1)


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
    gradient = np.empty((len(action), log_probs.shape[1] + 1), np.float32)
    gradient[:, :-1] = (ratio * advantage * moves)[:, None] * probs
    gradient[rows, action] -= ratio * advantage * moves
    gradient[:, :-1] += ENTROPY * probs * (log_probs + entropy[:, None])
    gradient[:, -1] = 2 * VALUE * (values - target)
    gradient /= len(action)
    return gradient


def main() -> None:
    """Learns, and prints the progress."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("task", nargs="?", choices=TASKS, default="lander")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reference", choices=("sync", "async"), help="Gymnasium's environments")
    options = parser.parse_args()
    if options.task == "score" and options.reference:
        parser.error("nle itself has no arrays around the player")
    task, rng = TASKS[options.task], np.random.default_rng(options.seed)
    network = Network(rng, task.inputs, task.actions)
    envs = make_envs(task, options.reference, options.seed)
    shape = (ROLLOUT, NUM_ENVS)
    obs = np.empty((*shape, task.inputs), np.float32)
    actions, played = np.empty(shape, np.int32), np.empty(shape, np.bool_)
    log_prob, value, reward, ends = (np.empty(shape, np.float32) for _ in range(4))
    now, over = numbers(envs.reset(seed=options.seed)[0]), np.zeros(NUM_ENVS, np.bool_)
    returns: deque[float] = deque(maxlen=100)
    sums = np.zeros(NUM_ENVS)
    begin, stepping = time.perf_counter(), 0.0
    for update in range(max(3, options.steps // (NUM_ENVS * ROLLOUT))):
        for t in range(ROLLOUT):
            log_probs, value[t], _ = network(now)
            noise = rng.gumbel(size=log_probs.shape)
            actions[t] = (log_probs + noise).argmax(axis=1)
            log_prob[t] = log_probs[np.arange(NUM_ENVS), actions[t]]
            obs[t], played[t] = now, ~over  # after an end comes a reset, whatever the action
            called = time.perf_counter()
            new, gained, terminated, truncated, _ = envs.step(actions[t])
            stepping += time.perf_counter() - called
            now, over = numbers(new), terminated | truncated
            ends[t], reward[t] = over, task.scale * gained
            sums += gained
            returns.extend(sums[over] if task.won is None else sums[over] >= task.won)
            sums[over] = 0
        advantage, later = np.zeros(NUM_ENVS, np.float32), network(now)[1]
        advantages = np.empty(shape, np.float32)
        for t in reversed(range(ROLLOUT)):
            going_on = 1 - ends[t]
            delta = reward[t] + task.gamma * later * going_on - value[t]
            advantage = delta + task.gamma * task.lam * going_on * advantage
            advantages[t], later = advantage, value[t]
        targets = advantages + value
        rows = np.flatnonzero(played)
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(rows), task.minibatches):
                flat = [x.reshape(-1)[part] for x in (actions, log_prob, advantages, targets)]
                if task.scaled:
                    flat[2] = (flat[2] - flat[2].mean()) / (flat[2].std() + 1e-8)
                log_probs, values, inputs = network(obs.reshape(-1, task.inputs)[part])
                gradient = loss_gradient(log_probs, values, *flat)
                network.learn(gradient, inputs)
        steps = (update + 1) * NUM_ENVS * ROLLOUT
        mean = float(np.mean(returns)) if returns else 0.0
        seconds = time.perf_counter() - begin
        learned = len(returns) == 100 and mean > task.goal
        if update % 10 == 9 or learned:
            print(
                f"{steps:8} steps, {seconds:6.1f} s, {stepping:6.1f} of them stepping, {mean:.3f}",
                flush=True,
            )
        if learned:
            break
    envs.close()
    what = "mean return" if task.won is None else "share won"
    print(f"{what} of the last {len(returns)} episodes: {mean:.3f}, after {steps} steps")


if __name__ == "__main__":
    main()
