# SPDX-License-Identifier: Apache-2.0
"""An asynchronous pool: act on the first 16 of 64 environments that are ready, never wait for all.

While Python decides on the actions of one batch, the other environments are stepped.
"""

from __future__ import annotations

import time

import envpool
import numpy as np

NUM_ENVS, BATCH_SIZE, NUM_BATCHES = 64, 16, 2000


def main() -> None:
    """Receives and answers 2000 batches."""
    rng = np.random.default_rng(0)
    steps = np.zeros(NUM_ENVS, int)
    with envpool.make("Pendulum-v1", num_envs=NUM_ENVS, batch_size=BATCH_SIZE, seed=0) as pool:
        pool.async_reset()
        start = time.perf_counter()
        for _ in range(NUM_BATCHES):
            _obs, _reward, _terminated, _truncated, info = pool.recv()
            env_id = info["env_id"]  # the environments of these 16 rows
            steps[env_id] += 1
            torque = rng.uniform(-2, 2, size=(BATCH_SIZE, 1)).astype(np.float32)
            pool.send(torque, env_id)
        seconds = time.perf_counter() - start
    print(f"{steps.sum()} steps in {seconds:.2f} s: {steps.sum() / seconds:,.0f} steps per second")
    print(f"every environment was stepped between {steps.min()} and {steps.max()} times")


if __name__ == "__main__":
    main()
