# SPDX-License-Identifier: Apache-2.0
"""Solves CartPole without a gradient: every environment of the pool tries a policy of its own.

In each round the 256 policies are drawn around the mean of the best 32 of the last round.
"""

from __future__ import annotations

import time

import envpool
import numpy as np
from numpy.typing import NDArray

NUM_ENVS, BEST, ROUNDS = 256, 32, 5


def play(pool: envpool.GymnasiumEnvPool, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The return of one episode of each environment, under its linear policy.

    Args:
        pool: A pool of CartPole.
        weights: (num_envs, 4); an environment is pushed right where `weights @ observation > 0`.
    """
    obs, _ = pool.reset()
    returns = np.zeros(len(weights))
    playing = np.ones(len(weights), bool)
    while playing.any():
        action = ((weights * obs).sum(axis=1) > 0).astype(np.int32)
        obs, reward, terminated, truncated, _ = pool.step(action)
        returns += reward * playing
        playing &= ~(terminated | truncated)
    return returns


def main() -> None:
    """Searches, and prints the mean return of each round's policies."""
    rng = np.random.default_rng(0)
    mean, deviation = np.zeros(4), np.ones(4)
    with envpool.make("CartPole-v1", num_envs=NUM_ENVS, seed=0) as pool:
        for number in range(1, ROUNDS + 1):
            start = time.perf_counter()
            weights = mean + deviation * rng.standard_normal((NUM_ENVS, 4))
            returns = play(pool, weights)
            best = weights[np.argsort(returns)[-BEST:]]
            mean, deviation = best.mean(axis=0), best.std(axis=0)
            milliseconds = 1000 * (time.perf_counter() - start)
            print(
                f"round {number}: mean return {returns.mean():5.1f}, best {returns.max():.0f}"
                f" ({returns.sum():.0f} steps in {milliseconds:.0f} ms)"
            )


if __name__ == "__main__":
    main()
