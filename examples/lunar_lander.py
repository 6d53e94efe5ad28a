# SPDX-License-Identifier: Apache-2.0
"""Learns to land.

The cross-entropy method on a linear policy: each of 64 environments tries its own weights, and the
next weights are drawn around the best.
"""

from __future__ import annotations

import time

import envpool
import numpy as np

NUM_ENVS, NUM_BEST, NUM_ROUNDS = 64, 10, 30
MAX_STEPS = 400


def main() -> None:
    """Prints the return of the best environments, round by round."""
    rng = np.random.default_rng(0)
    with envpool.make(
        "LunarLander-v3", "vector", num_envs=NUM_ENVS, max_episode_steps=MAX_STEPS
    ) as pool:
        mean, spread = np.zeros((9, 4)), np.ones((9, 4))
        start, steps = time.perf_counter(), 0
        for number in range(NUM_ROUNDS):
            weights = mean + spread * rng.normal(size=(NUM_ENVS, 9, 4))
            returns = np.zeros(NUM_ENVS)
            obs, _ = pool.reset(seed=number)
            over = np.zeros(NUM_ENVS, bool)
            while not over.all():
                scores = np.einsum("ij,ijk->ik", obs, weights[:, :8]) + weights[:, 8]
                obs, reward, terminated, truncated, _ = pool.step(scores.argmax(1))
                returns += reward * ~over
                over |= terminated | truncated
                steps += NUM_ENVS
            best = np.argsort(returns)[-NUM_BEST:]
            noise = 0.3 * (1 - number / NUM_ROUNDS)
            mean, spread = weights[best].mean(0), weights[best].std(0) + noise
            print(f"round {number:2}: the best {NUM_BEST} reach {returns[best].mean():7.1f}")
        print(f"{steps / (time.perf_counter() - start):,.0f} steps per second")


if __name__ == "__main__":
    main()
