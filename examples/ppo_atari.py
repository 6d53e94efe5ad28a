# SPDX-License-Identifier: Apache-2.0
"""PPO learns Breakout, or another Atari game, from its screens; runs on EnvPool 1.2.5, too.

    python ppo_atari.py --task Breakout-v5 --steps 1000000 --seed 1

Needs envpool-atari with cartridges, and JAX (`pip install "envpool-atari[roms]" jax`). Without
arguments it stops after a few updates, when it has not learned much. The screens are 42 x 42, which
is enough for Breakout, and lets one core learn from 2,000 steps per second.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import envpool
import jax
import jax.numpy as jnp
import numpy as np
from jax.nn.initializers import orthogonal

NUM_ENVS = 16
ROLLOUT = 128  # steps of every environment between two updates
EPOCHS, MINIBATCHES = 3, 8  # of an update: uses of the rollout, number of its parts
SIZE = 42  # height and width of a screen
CONVOLUTIONS = ((16, 6, 3), (32, 4, 2))  # channels, size and stride of their kernels
HIDDEN = 256
LEARNING_RATE = 1e-3
GAMMA, LAMBDA = 0.99, 0.95  # discount, and how far an advantage looks ahead
CLIP = 0.1  # how far the odds of an action may move in an update
VALUE_WEIGHT, ENTROPY_WEIGHT = 0.5, 0.01
MAX_GRADIENT = 0.5  # its norm

Weights: TypeAlias = list[tuple[jax.Array, jax.Array]]
"""Kernel and bias of every layer: convolutions, hidden, policy, value."""


class Learner(NamedTuple):
    """All that an update changes: the network, and what Adam remembers of its gradients."""

    weights: Weights
    mean: Weights
    square: Weights
    steps: jax.Array


class Batch(NamedTuple):
    """Steps of all environments, (steps, NUM_ENVS, ...), or a part of them, (rows, ...)."""

    obs: jax.Array
    action: jax.Array
    log_prob: jax.Array
    value: jax.Array
    advantage: jax.Array
    played: jax.Array
    """0 where the episode had ended: such a step resets the environment, its action is ignored."""


class Update(NamedTuple):
    """The report of an update."""

    step: int
    scores: list[float]
    """The scores of games that ended since the last update."""
    loss: float
    weights: Weights


def new_learner(key: jax.Array, num_actions: int) -> Learner:
    """A network that knows nothing."""
    shapes: list[tuple[tuple[int, ...], float]] = []
    channels, width = 4, SIZE
    for out, size, stride in CONVOLUTIONS:
        shapes.append(((size, size, channels, out), 2**0.5))
        channels, width = out, (width - size) // stride + 1
    shapes += [((width * width * channels, HIDDEN), 2**0.5)]
    shapes += [((HIDDEN, num_actions), 0.01), ((HIDDEN, 1), 1.0)]
    keys = jax.random.split(key, len(shapes))
    weights = [
        (orthogonal(scale)(k, shape), jnp.zeros(shape[-1]))
        for k, (shape, scale) in zip(keys, shapes, strict=True)
    ]
    zeros = jax.tree.map(jnp.zeros_like, weights)
    return Learner(weights, zeros, zeros, jnp.zeros((), jnp.int32))


def network(weights: Weights, obs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Log-probabilities of the actions, (rows, actions), and values, (rows,), of observations.

    Args:
        weights: The layers' weights.
        obs: uint8, (rows, 4, SIZE, SIZE).
    """
    *convolutions, hidden, policy, value = weights
    x = jnp.moveaxis(obs, 1, -1).astype(jnp.float32) / 255
    for (kernel, bias), (_, _, stride) in zip(convolutions, CONVOLUTIONS, strict=True):
        layout = ("NHWC", "HWIO", "NHWC")
        x = jax.lax.conv_general_dilated(x, kernel, (stride, stride), "VALID", None, None, layout)
        x = jax.nn.relu(x + bias)
    x = jax.nn.relu(x.reshape(len(x), -1) @ hidden[0] + hidden[1])
    return jax.nn.log_softmax(x @ policy[0] + policy[1]), (x @ value[0] + value[1])[:, 0]


@jax.jit
def act(weights: Weights, obs: Any, key: jax.Array) -> tuple[jax.Array, ...]:
    """Draws actions: with their log-probabilities, the observations' values, and the next key."""
    log_probs, value = network(weights, obs)
    key, now = jax.random.split(key)
    action = jax.random.categorical(now, log_probs)
    return action, jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0], value, key


@jax.jit
def advantages(reward: Any, value: jax.Array, lost: Any, ended: Any) -> jax.Array:
    """Generalised advantage estimation.

    Args:
        reward: (ROLLOUT, NUM_ENVS), the rewards of the actions.
        value: (ROLLOUT + 1, NUM_ENVS), the values of the observations before them, and of the last
            ones.
        lost: (ROLLOUT, NUM_ENVS), 1 where a step terminated the episode: nothing comes after it.
        ended: The same, and 1 where it was truncated.
    """
    surprise = reward + GAMMA * value[1:] * (1 - lost) - value[:-1]

    def back(later: jax.Array, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        advantage = now[0] + GAMMA * LAMBDA * (1 - now[1]) * later
        return advantage, advantage

    return jax.lax.scan(back, jnp.zeros(NUM_ENVS), (surprise, ended), reverse=True)[1]


def loss_of(weights: Weights, part: Batch) -> jax.Array:
    """The loss of an update: the clipped objective, the error of the values, certainty."""

    def mean(x: jax.Array) -> jax.Array:
        return (x * part.played).sum() / part.played.sum()

    log_probs, value = network(weights, part.obs)
    log_prob = jnp.take_along_axis(log_probs, part.action[:, None], 1)[:, 0]
    odds = jnp.exp(log_prob - part.log_prob)
    advantage = part.advantage - mean(part.advantage)
    advantage /= jnp.sqrt(mean(advantage**2)) + 1e-8
    gain = jnp.minimum(odds * advantage, jnp.clip(odds, 1 - CLIP, 1 + CLIP) * advantage)
    error = (value - part.value - part.advantage) ** 2
    entropy = -(jnp.exp(log_probs) * log_probs).sum(axis=1)
    return -mean(gain) + VALUE_WEIGHT * 0.5 * mean(error) - ENTROPY_WEIGHT * mean(entropy)


def adam(learner: Learner, gradient: Weights) -> Learner:
    """A step down the gradient, which is shortened if it is long."""
    norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1, MAX_GRADIENT / norm), gradient)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, learner.mean, gradient)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, learner.square, gradient)
    steps = learner.steps + 1
    rate = LEARNING_RATE / (1 - 0.9**steps)
    spread = 1 / (1 - 0.999**steps)
    weights = jax.tree.map(
        lambda w, m, s: w - rate * m / (jnp.sqrt(s * spread) + 1e-5), learner.weights, mean, square
    )
    return Learner(weights, mean, square, steps)


@jax.jit
def learn(learner: Learner, batch: Batch, rows: Any) -> tuple[Learner, jax.Array]:
    """Takes a step with the given rows of a rollout; returns the loss before it."""
    part = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[rows], batch)
    loss, gradient = jax.value_and_grad(loss_of)(learner.weights, part)
    return adam(learner, gradient), loss


def train(pool: envpool.GymnasiumEnvPool, steps: int, seed: int) -> Iterator[Update]:
    """Plays and learns.

    Args:
        pool: NUM_ENVS environments with screens of SIZE x SIZE.
        steps: The number of steps of all environments together.
        seed: The seed of the network and of its actions.
    """
    key, first = jax.random.split(jax.random.key(seed))
    actions: Any = pool.action_space
    learner = new_learner(first, int(actions.n))
    order = np.random.default_rng(seed)
    obs, _ = pool.reset()
    ended = np.zeros(NUM_ENVS, bool)
    score = np.zeros(NUM_ENVS)
    for update in range(1, steps // (ROLLOUT * NUM_ENVS) + 1):
        rollout = []
        rewards, lost, ends = (np.zeros((ROLLOUT, NUM_ENVS), np.float32) for _ in range(3))
        scores: list[float] = []
        for t in range(ROLLOUT):
            action, log_prob, value, key = act(learner.weights, obs, key)
            rollout.append((obs, action, log_prob, value, ~ended))
            obs, rewards[t], terminated, truncated, info = pool.step(np.asarray(action, np.int32))
            ended = terminated | truncated
            lost[t], ends[t] = terminated, ended
            # An episode is one life; a game has several, and its own score.
            score += info["reward"]
            over = (info["terminated"] == 1) | truncated
            scores += score[over].tolist()
            score[over] = 0
        columns = (jnp.asarray(np.stack(column)) for column in zip(*rollout, strict=True))
        all_obs, all_actions, log_probs, values, played = columns
        _, _, following, key = act(learner.weights, obs, key)
        advantage = advantages(rewards, jnp.vstack([values, following]), lost, ends)
        batch = Batch(all_obs, all_actions, log_probs, values, advantage, played)
        for _ in range(EPOCHS):
            for rows in np.split(order.permutation(ROLLOUT * NUM_ENVS), MINIBATCHES):
                learner, loss = learn(learner, batch, rows)
        yield Update(update * ROLLOUT * NUM_ENVS, scores, float(loss), learner.weights)


def new_pool(task: str, seed: int, num_threads: int = 0) -> envpool.GymnasiumEnvPool:
    """Environments as `train` needs them; their seeds are seed, seed + 1, ..."""
    return envpool.make(
        task,
        env_type="gymnasium",
        num_envs=NUM_ENVS,
        num_threads=num_threads,
        seed=seed,
        img_height=SIZE,
        img_width=SIZE,
        episodic_life=True,
        reward_clip=True,
    )


def main() -> None:
    """Trains, and prints the mean score of the last 100 games."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--task", default="Breakout-v5")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pool = new_pool(options.task, options.seed)
    recent: deque[float] = deque(maxlen=100)
    start = time.perf_counter()
    for step, scores, loss, _ in train(pool, options.steps, options.seed):
        recent += scores
        score = f"{np.mean(recent):6.2f}" if recent else "     -"
        speed = step / (time.perf_counter() - start)
        print(f"step {step:8,}  score {score}  loss {loss:7.4f}  {speed:6,.0f} steps per second")
    pool.close()


if __name__ == "__main__":
    main()
