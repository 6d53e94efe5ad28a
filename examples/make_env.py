# SPDX-License-Identifier: Apache-2.0
"""Eight CartPoles, stepped together with random actions; prints the returns of their episodes."""

from __future__ import annotations

import envpool
import numpy as np

NUM_ENVS = 8


def main() -> None:
    """Plays 500 steps."""
    rng = np.random.default_rng(0)
    finished: list[float] = []
    with envpool.make("CartPole-v1", num_envs=NUM_ENVS) as pool:
        print(pool)
        print("one observation:", pool.observation_space)
        print("one action:", pool.action_space)
        obs, info = pool.reset(seed=0)
        returns = np.zeros(NUM_ENVS)
        for _ in range(500):
            action = rng.integers(2, size=NUM_ENVS)
            obs, reward, terminated, truncated, info = pool.step(action)
            returns += reward
            # The next step of an environment that is done resets it, by itself.
            done = terminated | truncated
            finished += returns[done].tolist()
            returns[done] = 0
    print(f"last observations: {obs.dtype} {obs.shape}, of environments {info['env_id']}")
    print(f"{len(finished)} episodes, mean return {np.mean(finished):.1f}")


if __name__ == "__main__":
    main()
