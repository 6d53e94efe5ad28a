# SPDX-License-Identifier: Apache-2.0
"""A pool as a gymnasium.vector.VectorEnv, made by Gymnasium and wrapped by Gymnasium's wrappers."""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics


def main() -> None:
    """Plays until 40 episodes are over."""
    envs = gymnasium.make_vec("envpool.gymnasium:envpool/FrozenLake8x8-v1", num_envs=16)
    print(envs.unwrapped)
    envs = RecordEpisodeStatistics(envs)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    lengths: list[int] = []
    while len(lengths) < 40:
        _obs, _reward, _terminated, _truncated, info = envs.step(envs.action_space.sample())
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    envs.close()
    print(f"{len(lengths)} episodes, mean length {np.mean(lengths):.1f}")

    envs = NormalizeObservation(gymnasium.make_vec("envpool.gymnasium:envpool/Acrobot-v1", 16))
    envs.reset(seed=0)
    rows = [envs.step(envs.action_space.sample())[0] for _ in range(500)]
    print("standard deviation of normalized observations:", np.std(rows, axis=(0, 1)).round(1))
    envs.close()


if __name__ == "__main__":
    main()
