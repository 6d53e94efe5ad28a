# SPDX-License-Identifier: Apache-2.0
"""PPO in JAX whose whole training is one compiled program: `pip install jax envpool-classic`.

The environments are called from inside of it, see `pool.xla()`. With `--envs default` they are
Gymnasium's SyncVectorEnv, stepped from Python between a compiled policy and a compiled update.
"""

from __future__ import annotations

import functools
from typing import Any

import envpool
import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from _common import NUM_ENVS, TASK, Clock, evaluate, in_pool
from jax import lax, random

ROLLOUT, EPOCHS, PARTS = 32, 20, 1
GAMMA, LAMBDA = 0.98, 0.8
SIZES = ((4, 64), (64, 64))


def make_net(key: Any, outputs: int, scale: float) -> Any:
    """Weights and biases of two hidden layers and an output layer."""
    sizes = [*SIZES, (64, outputs)]
    gains = [2**0.5, 2**0.5, scale]
    return [
        (jax.nn.initializers.orthogonal(gain)(k, size), jnp.zeros(size[1]))
        for k, size, gain in zip(random.split(key, 3), sizes, gains, strict=True)
    ]


def apply(net: Any, x: Any) -> Any:
    """The outputs of a network."""
    for weight, bias in net[:-1]:
        x = jnp.tanh(x @ weight + bias)
    return x @ net[-1][0] + net[-1][1]


def choose(nets: Any, obs: Any, key: Any) -> tuple[Any, Any, Any]:
    """Action, its log probability, and the value of the state."""
    logits = jax.nn.log_softmax(apply(nets[0], obs))
    action = random.categorical(key, logits).astype(jnp.int32)
    chosen = jnp.take_along_axis(logits, action[:, None], 1)[:, 0]
    return action, chosen, apply(nets[1], obs)[:, 0]


def loss(nets: Any, batch: Any, left: Any) -> Any:
    """PPO's loss of the played steps."""
    obs, action, old, advantage, target, played = batch
    n = played.sum()
    mean = (advantage * played).sum() / n
    std = jnp.sqrt(((advantage - mean) ** 2 * played).sum() / n)
    advantage = (advantage - mean) / (std + 1e-8)
    logits = jax.nn.log_softmax(apply(nets[0], obs))
    ratio = jnp.exp(jnp.take_along_axis(logits, action[:, None], 1)[:, 0] - old)
    clipped = jnp.clip(ratio, 1 - 0.2 * left, 1 + 0.2 * left)
    policy = jnp.minimum(ratio * advantage, clipped * advantage)
    value = (apply(nets[1], obs)[:, 0] - target) ** 2
    return ((0.5 * value - policy) * played).sum() / n


def learn(learner: Any, rollout: Any, last: Any, left: Any) -> Any:
    """The learner after an update with a rollout: (steps, envs, ...) of each array."""
    nets, mean, square, count = learner
    obs, action, log_prob, value, reward, done = rollout
    last_obs, last_done = last

    def back(carry: Any, row: Any) -> Any:
        advantage, next_value, over = carry
        value, reward, done = row
        delta = reward + GAMMA * next_value * (1 - over) - value
        advantage = delta + GAMMA * LAMBDA * (1 - over) * advantage
        return (advantage, value, done), advantage

    start = (jnp.zeros(NUM_ENVS), apply(nets[1], last_obs)[:, 0], last_done)
    advantage = lax.scan(back, start, (value, reward, done), reverse=True)[1]
    batch = (obs, action, log_prob, advantage, advantage + value, 1 - done)
    batch = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), batch)

    def epoch(_: Any, carry: Any) -> Any:
        nets, mean, square, count = carry
        gradient = jax.grad(loss)(nets, batch, left)
        norm = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(gradient)))
        gradient = jax.tree.map(lambda g: g * jnp.minimum(1, 0.5 / (norm + 1e-6)), gradient)
        count += 1
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, gradient)
        rate = 1e-3 * left * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        nets = jax.tree.map(lambda w, m, s: w - rate * m / (s**0.5 + 1e-5), nets, mean, square)
        return nets, mean, square, count

    return lax.fori_loop(0, EPOCHS, epoch, (nets, mean, square, count))


pool, steps = in_pool(200_000)
updates = steps // (ROLLOUT * NUM_ENVS)
keys = random.split(random.key(1), 3)
nets = (make_net(keys[0], 2, 0.01), make_net(keys[1], 1, 1.0))
zeros = jax.tree.map(jnp.zeros_like, nets)
learner = (nets, zeros, zeros, 0.0)
clock = Clock("CleanRL-style PPO, JAX", "jax")
no_end = jnp.zeros(NUM_ENVS)
if pool:
    envs = envpool.make(TASK, num_envs=NUM_ENVS, seed=1)
    start_obs = jnp.asarray(envs.reset()[0])
    handle, _, _, step = envs.xla()

    def one_step(nets: Any, carry: Any, key: Any) -> Any:
        """A step of all environments."""
        handle, obs, done = carry
        action, log_prob, value = choose(nets, obs, key)
        handle, (new, reward, terminated, truncated, _) = step(handle, action)
        ended = (terminated | truncated).astype(jnp.float32)
        return (handle, new, ended), (obs, action, log_prob, value, reward, done)

    def one_update(carry: Any, row: Any) -> Any:
        """A rollout and an update from it."""
        learner, state = carry
        key, left = row
        play = functools.partial(one_step, learner[0])
        state, rollout = lax.scan(play, state, random.split(key, ROLLOUT))
        return (learn(learner, rollout, state[1:], left), state), None

    @jax.jit
    def train(learner: Any, state: Any, key: Any) -> Any:
        """All of the training."""
        left = 1 - jnp.arange(updates) / updates
        return lax.scan(one_update, (learner, state), (random.split(key, updates), left))[0][0]

    state = (handle, start_obs, no_end)
    compiled = train.lower(learner, state, keys[2]).compile()
    clock.start()
    learner = jax.block_until_ready(compiled(learner, state, keys[2]))
else:
    vector = gymnasium.make_vec(TASK, num_envs=NUM_ENVS, vectorization_mode="sync")
    obs = vector.reset(seed=1)[0]
    done = np.zeros(NUM_ENVS, np.float32)
    act = jax.jit(choose).lower(nets, obs, keys[2]).compile()
    steps_of_one = (ROLLOUT, NUM_ENVS)
    shapes = [(*steps_of_one, 4), *[steps_of_one] * 5]
    kinds = [jnp.float32, jnp.int32, *[jnp.float32] * 4]
    no_steps = tuple(map(jnp.zeros, shapes, kinds))
    improve = jax.jit(learn).lower(learner, no_steps, (obs, done), 1.0).compile()
    clock.start()
    for update in range(updates):
        rows = []
        for key in random.split(random.fold_in(keys[2], update), ROLLOUT):
            action, log_prob, value = act(learner[0], obs, key)
            new, reward, terminated, truncated, _ = vector.step(np.asarray(action))
            rows.append((obs, action, log_prob, value, reward.astype(np.float32), done))
            obs, done = new, (terminated | truncated).astype(np.float32)
        rollout = tuple(jnp.stack(column) for column in zip(*rows, strict=True))
        learner = improve(learner, rollout, (obs, done), 1 - update / updates)
    jax.block_until_ready(learner)
clock.stop()
greedy = jax.jit(lambda obs: apply(learner[0][0], obs).argmax())
clock.report(evaluate(lambda obs: int(greedy(obs))), updates * ROLLOUT * NUM_ENVS)
