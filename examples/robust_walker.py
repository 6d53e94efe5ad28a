# SPDX-License-Identifier: Apache-2.0
"""PPO in NumPy: a walker that learns on one floor, and one that learns on many.

    python robust_walker.py --steps 2000000        # both, and then both on slippery floors
    python robust_walker.py --steps 2000000 --task Walker2d-v5

Needs envpool-mujoco. Without --steps it stops after a few updates, when nothing is learned.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the network is too small for more

import envpool
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NUM_ENVS, ROLLOUT, EPOCHS, MINIBATCHES, HIDDEN = 64, 64, 6, 8, 64
GAMMA, LAMBDA, CLIP, RATE, MAX_GRADIENT = 0.99, 0.95, 0.2, 3e-4, 0.5
FRICTION = {"geom_friction[0]": ("scale", 0.15, 1.5, "together")}  # of all geoms, sliding
FLOORS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.2)  # of the model's friction, for the comparison


class Network:
    """Two hidden layers of tanh; trained by Adam."""

    def __init__(self, rng: np.random.Generator, inputs: int, outputs: int, last: float) -> None:
        """Random weights; those of the outputs are as small as `last` says."""
        self.weights: list[Array] = []
        for rows, columns, scale in (
            (inputs, HIDDEN, 1.0),
            (HIDDEN, HIDDEN, 1.0),
            (HIDDEN, outputs, last),
        ):
            self.weights += [rng.normal(0, scale / rows**0.5, (rows, columns)), np.zeros(columns)]
        self.extra = np.full(outputs, -0.5)  # logarithms of standard deviations, in a policy
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in [*self.weights, self.extra]]
        self.updates = 0

    def __call__(self, x: Array) -> tuple[Array, list[Array]]:
        """Outputs, and the inputs of the layers."""
        given = [x]
        for i in (0, 2):
            given.append(np.tanh(given[-1] @ self.weights[i] + self.weights[i + 1]))
        return given[-1] @ self.weights[4] + self.weights[5], given

    def learn(self, gradient: Array, given: list[Array], extra: Array) -> None:
        """One step of Adam against the gradient of the loss by the outputs and by `extra`."""
        gradients = [extra]
        for i in (4, 2, 0):
            layer = given[i // 2]
            gradients = [layer.T @ gradient, gradient.sum(axis=0), *gradients]
            gradient = (gradient @ self.weights[i].T) * (1 - layer**2) if i else gradient
        norm = sum(float((g**2).sum()) for g in gradients) ** 0.5
        self.updates += 1
        for w, (mean, square), g in zip(
            [*self.weights, self.extra], self.moments, gradients, strict=True
        ):
            g = g * min(1.0, MAX_GRADIENT / (norm + 1e-8))
            mean += 0.1 * (g - mean)
            square += 0.001 * (g**2 - square)
            corrected = mean / (1 - 0.9**self.updates)
            w -= RATE * corrected / (np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8)


class Policy:
    """Means and deviations of actions, and the scale of observations."""

    def __init__(self, rng: np.random.Generator, inputs: int, actions: int) -> None:
        """Knows nothing yet."""
        self.actor = Network(rng, inputs, actions, 0.01)
        self.critic = Network(rng, inputs, 1, 1.0)
        self.mean, self.square, self.count = np.zeros(inputs), np.ones(inputs), 1e-4

    def scaled(self, obs: Array, learn: bool = False) -> Array:
        """Observations with mean 0 and deviation 1, over all that were seen."""
        if learn:
            self.count += len(obs)
            share = len(obs) / self.count
            self.mean += share * (obs.mean(axis=0) - self.mean)
            self.square += share * (((obs - self.mean) ** 2).mean(axis=0) - self.square)
        return np.asarray(np.clip((obs - self.mean) / np.sqrt(self.square + 1e-8), -10, 10))


def train(task: str, steps: int, randomize: dict[str, Any], seed: int) -> Policy:
    """Trains by PPO on `steps` steps of 64 environments in all."""
    rng = np.random.default_rng(seed)
    pool: Any = envpool.make(task, num_envs=NUM_ENVS, seed=seed, randomize=randomize)
    policy = Policy(rng, pool.observation_space.shape[0], pool.action_space.shape[0])
    obs = policy.scaled(pool.reset()[0], learn=True)
    returned = np.zeros(NUM_ENVS)
    deviation, recent, start = 1.0, [0.0], time.perf_counter()
    for update in range(max(1, steps // (NUM_ENVS * ROLLOUT))):
        rows: list[tuple[Any, ...]] = []
        lasting = np.zeros(NUM_ENVS)
        for _ in range(ROLLOUT):
            mean, value = policy.actor(obs)[0], policy.critic(obs)[0][:, 0]
            noise = rng.normal(size=mean.shape)
            action = mean + np.exp(policy.actor.extra) * noise
            log = (-0.5 * noise**2 - policy.actor.extra).sum(axis=1)
            new, reward, terminated, truncated, info = pool.step(
                np.clip(action, -1, 1).astype(np.float32)
            )
            lasting += reward
            first = info["elapsed_step"] == 0  # of an episode: this action was not used
            returned = GAMMA * returned * ~first + reward
            deviation = 0.99 * deviation + 0.01 * max(returned.std(), 1e-2)
            scaled = policy.scaled(new, learn=True)
            rows.append((obs, action, log, value, reward / deviation, terminated, truncated, first))
            over = terminated | truncated
            recent += list(info["elapsed_step"][over])
            obs = scaled
        recent = recent[-100:]
        learn(policy, rng, rows, policy.critic(obs)[0][:, 0])
        if update % 50 == 0:
            done = (update + 1) * NUM_ENVS * ROLLOUT
            print(f"{done:>9,} steps, episodes of {np.mean(recent):.0f}, "
                  f"{time.perf_counter() - start:.0f} s", flush=True)  # fmt: skip
    pool.close()
    return policy


def learn(
    policy: Policy, rng: np.random.Generator, rows: list[tuple[Any, ...]], last: Array
) -> None:
    """PPO's updates on the steps of one rollout."""
    obs, action, log, value, reward, terminated, truncated, first = map(
        np.array, zip(*rows, strict=True)
    )
    values = np.concatenate((value, last[np.newaxis]))
    advantage, ahead = np.zeros_like(reward), np.zeros(NUM_ENVS)
    for t in reversed(range(ROLLOUT)):
        # Behind an end comes the start of another episode, whose reward is 0.
        delta = reward[t] + GAMMA * values[t + 1] * ~terminated[t] - value[t]
        ahead = delta + GAMMA * LAMBDA * ahead * ~(terminated[t] | truncated[t])
        ahead = ahead * ~first[t]
        advantage[t] = ahead
    use = np.flatnonzero(~first.ravel())
    flat = [a.reshape(-1, *a.shape[2:]) for a in (obs, action, log, advantage, advantage + value)]
    for _ in range(EPOCHS):
        for part in np.array_split(rng.permutation(use), MINIBATCHES):
            x, a, old, adv, target = (array[part] for array in flat)
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            mean, given = policy.actor(x)
            inverse = np.exp(-policy.actor.extra)
            z = (a - mean) * inverse
            ratio = np.exp((-0.5 * z**2 - policy.actor.extra).sum(axis=1) - old)
            moves = np.where(adv > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
            weight = -(adv * ratio * moves / len(part))[:, np.newaxis]
            policy.actor.learn(weight * z * inverse, given, (weight * (z**2 - 1)).sum(axis=0))
            guess, given = policy.critic(x)
            error = (guess[:, 0] - target)[:, np.newaxis] / len(part)
            policy.critic.learn(error, given, np.zeros(1))


def fares(task: str, policy: Policy, floor: float, episodes: int) -> tuple[float, float]:
    """The mean return on a floor, and the mean number of steps before a fall."""
    made: Any = envpool.make(task, num_envs=episodes, seed=1000, autoreset_mode="disabled")
    with made as pool:
        friction = pool.model_fields("geom_friction")
        friction[..., 0] *= floor
        pool.set_model_fields("geom_friction", friction)
        obs, going = pool.reset()[0], np.ones(episodes, bool)
        total, steps = np.zeros(episodes), np.zeros(episodes)
        while going.any():
            ids = np.flatnonzero(going).astype(np.int32)
            mean = policy.actor(policy.scaled(obs))[0]
            obs, reward, terminated, truncated, _ = pool.step(
                np.clip(mean, -1, 1).astype(np.float32), ids
            )
            total[ids] += reward
            steps[ids] += 1
            going[ids] = ~(terminated | truncated)
            obs = obs[going[ids]]
        return float(total.mean()), float(steps.mean())


def main() -> None:
    """Trains both, and prints their results on each floor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--task", default="Hopper-v5")
    parser.add_argument("--steps", type=int, default=2 * NUM_ENVS * ROLLOUT)
    parser.add_argument("--episodes", type=int, default=0, help="for the comparison; 0: 64, or 4")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    episodes = args.episodes or (64 if args.steps > 100_000 else 4)
    plain = train(args.task, args.steps, {}, args.seed)
    robust = train(args.task, args.steps, FRICTION, args.seed)
    print("friction  plain: return, steps  randomised: return, steps")
    for floor in FLOORS:
        one, other = (fares(args.task, p, floor, episodes) for p in (plain, robust))
        print(f"{floor:8.2f}  {one[0]:13.0f}, {one[1]:5.0f}  {other[0]:18.0f}, {other[1]:5.0f}")


if __name__ == "__main__":
    main()
