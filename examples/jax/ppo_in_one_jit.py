# SPDX-License-Identifier: Apache-2.0
"""PPO in one compiled program: environments, networks and updates, after the plan of PureJaxRL.

    pip install envpool-jax gymnax six
    python examples/jax/ppo_in_one_jit.py
    python examples/jax/ppo_in_one_jit.py jax:gymnax/Breakout-MinAtar --steps 3000000

`pool.functional()` gives the environments as a pure function. A row whose episode is over is reset
by the next step; that row is no transition, so it is left out of the losses.
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import envpool
import jax
import jax.numpy as jnp

NUM_ENVS, HORIZON, EPOCHS, BATCHES = 64, 128, 4, 8
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3


def layers(key: Any, sizes: tuple[int, ...], last: float) -> Any:
    """Weights of a network: orthogonal, the last layer scaled."""
    made = []
    for number, (size, following) in enumerate(itertools.pairwise(sizes)):
        key, some = jax.random.split(key)
        scale = last if number == len(sizes) - 2 else 2**0.5
        weights = jax.nn.initializers.orthogonal(scale)(some, (size, following))
        made.append((weights, jnp.zeros(following)))
    return made


def forward(network: Any, x: Any) -> Any:
    """The outputs of a network for observations."""
    for weights, bias in network[:-1]:
        x = jnp.tanh(x @ weights + bias)
    return x @ network[-1][0] + network[-1][1]


def loss(parameters: Any, batch: Any) -> Any:
    """PPO's loss of policy and value, over the rows that are transitions."""
    obs, action, logp, advantage, target, used = batch
    log_policy = jax.nn.log_softmax(forward(parameters["policy"], obs))
    value = forward(parameters["value"], obs)[:, 0]
    ratio = jnp.exp(jnp.take_along_axis(log_policy, action[:, None], 1)[:, 0] - logp)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage)
    entropy = -(jnp.exp(log_policy) * log_policy).sum(1)
    each = -gain + 0.5 * (value - target) ** 2 - ENTROPY * entropy
    return (each * used).sum() / used.sum()


def trainer(carry: Any, step: Any, obs: Any, num_actions: int, updates: int) -> Any:
    """A function of a key that trains and returns the mean return of episodes by update."""

    def act(parameters: Any, obs: Any, key: Any) -> Any:
        log_policy = jax.nn.log_softmax(forward(parameters["policy"], obs))
        action = jax.random.categorical(key, log_policy).astype(jnp.int32)
        logp = jnp.take_along_axis(log_policy, action[:, None], 1)[:, 0]
        return action, logp, forward(parameters["value"], obs)[:, 0]

    def play(state: Any, key: Any) -> Any:
        parameters, carry, obs, fresh, score = state
        action, logp, value = act(parameters, obs, key)
        carry, (seen, reward, terminated, truncated, _) = step(carry, action)
        seen = seen.reshape(NUM_ENVS, -1).astype(jnp.float32)
        over, score = terminated | truncated, score + reward
        row = (
            obs,
            action,
            logp,
            value,
            reward,
            terminated,
            over,
            ~fresh,
            jnp.where(over, score, 0),
        )
        return (parameters, carry, seen, over, jnp.where(over, 0.0, score)), row

    def advantages(rows: Any, last: Any) -> Any:
        _, _, _, value, reward, terminated, over, _, _ = rows
        # After an episode that was cut off, `following` is the value of its last observation.
        following = jnp.concatenate([value[1:], last[None]])
        delta = reward + GAMMA * following * ~terminated - value

        def back(sum_: Any, at: Any) -> Any:
            delta, over = at
            sum_ = delta + GAMMA * LAMBDA * ~over * sum_
            return sum_, sum_

        return jax.lax.scan(back, jnp.zeros(NUM_ENVS), (delta, over), reverse=True)[1]

    def update(state: Any, inputs: Any) -> Any:
        (parameters, adam), carry, obs, fresh, score = state
        key, rate = inputs
        play_key, key = jax.random.split(key)
        keys = jax.random.split(play_key, HORIZON)
        start = parameters, carry, obs, fresh, score
        (_, carry, obs, fresh, score), rows = jax.lax.scan(play, start, keys)
        advantage = advantages(rows, forward(parameters["value"], obs)[:, 0])
        used = rows[7]
        mean = (advantage * used).sum() / used.sum()
        spread = jnp.sqrt((((advantage - mean) ** 2) * used).sum() / used.sum())
        normal = (advantage - mean) / (spread + 1e-8)
        data = rows[0], rows[1], rows[2], normal, advantage + rows[3], used
        data = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), data)

        def epoch(learner: Any, key: Any) -> Any:
            order = jax.random.permutation(key, NUM_ENVS * HORIZON).reshape(BATCHES, -1)

            def learn(learner: Any, some: Any) -> Any:
                parameters, (count, first, second) = learner
                grad = jax.grad(loss)(parameters, jax.tree.map(lambda leaf: leaf[some], data))
                norm = jnp.sqrt(sum((leaf**2).sum() for leaf in jax.tree.leaves(grad)))
                grad = jax.tree.map(lambda leaf: leaf * jnp.minimum(1, 0.5 / norm), grad)
                count = count + 1
                first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grad)
                second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, second, grad)
                size = rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
                parameters = jax.tree.map(
                    lambda p, m, v: p - size * m / (jnp.sqrt(v) + 1e-8), parameters, first, second
                )
                return (parameters, (count, first, second)), None

            return jax.lax.scan(learn, learner, order)

        learner, _ = jax.lax.scan(epoch, (parameters, adam), jax.random.split(key, EPOCHS))
        episodes = rows[6].sum()
        return (learner, carry, obs, fresh, score), rows[8].sum() / jnp.maximum(episodes, 1)

    def train(key: Any) -> Any:
        first, second, key = jax.random.split(key, 3)
        size = obs.shape[1]
        parameters = {
            "policy": layers(first, (size, 64, 64, num_actions), 0.01),
            "value": layers(second, (size, 64, 64, 1), 1.0),
        }
        zeros = jax.tree.map(jnp.zeros_like, parameters)
        state = ((parameters, (jnp.float32(0), zeros, zeros)), carry, obs)
        state = (*state, jnp.zeros(NUM_ENVS, bool), jnp.zeros(NUM_ENVS))
        rates = RATE * (1 - jnp.arange(updates) / updates)
        return jax.lax.scan(update, state, (jax.random.split(key, updates), rates))[1]

    return train


def main() -> None:
    """Trains and prints how the returns have grown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("task", nargs="?", default="jax:gymnax/CartPole-v1")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with envpool.make(arguments.task, num_envs=NUM_ENVS, seed=arguments.seed) as pool:
        obs, _ = pool.reset()
        num_actions = int(pool.action_space.n)
        carry, step = pool.functional()
    flat = jnp.asarray(obs.reshape(NUM_ENVS, -1), jnp.float32)
    updates = arguments.steps // (NUM_ENVS * HORIZON)
    train = jax.jit(trainer(carry, step, flat, num_actions, updates))
    since = time.perf_counter()
    returns = train(jax.random.PRNGKey(arguments.seed)).block_until_ready()
    seconds = time.perf_counter() - since
    steps = updates * NUM_ENVS * HORIZON
    print(f"{arguments.task}: {steps:,} steps in {seconds:.0f} s, compiling included")
    tenth = max(1, updates // 10)
    curve = [returns[i : i + tenth].mean() for i in range(0, updates, tenth)]
    print("mean return of each tenth:", *(f"{mean:.1f}" for mean in curve))


if __name__ == "__main__":
    main()
