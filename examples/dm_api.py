# SPDX-License-Identifier: Apache-2.0
"""The same pools through dm_env: TimeSteps whose fields have one row per environment."""

from __future__ import annotations

import envpool
import numpy as np

NUM_ENVS = 4


def main() -> None:
    """Plays Catch for 100 steps."""
    rng = np.random.default_rng(0)
    with envpool.make("Catch-v0", env_type="dm", num_envs=NUM_ENVS, seed=0) as pool:
        board = pool.observation_spec().obs
        print("observation:", board.shape, board.dtype)
        print("action:", pool.action_spec())
        timestep = pool.reset()
        caught = played = 0
        for _ in range(100):
            timestep = pool.step(rng.integers(3, size=NUM_ENVS))
            played += int(timestep.last().sum())
            caught += int((timestep.reward > 0).sum())
    print("the last step types:", timestep.step_type, "and discounts:", timestep.discount)
    print(f"caught {caught} of {played} balls")


if __name__ == "__main__":
    main()
