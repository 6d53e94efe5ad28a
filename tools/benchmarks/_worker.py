# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of CartPole-v1 on demand, in an environment of its own.

Both sides of a comparison run this same file, each with the Python that has its package, because
two packages named `envpool` cannot live in one process. Every line on standard input is a round to
run, as JSON `{"calls": n}`; the answer is a line with the wall and CPU seconds that it took.

    python _worker.py '{"side": "envpool", "num_envs": 64, "batch_size": 64, "num_threads": 2}'
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def envpool_call(num_envs: int, batch_size: int, num_threads: int) -> Callable[[], Any]:
    """One step (or recv and send) of a pool, ours or the original: the same lines for both."""
    import envpool

    pool = envpool.make(
        "CartPole-v1",
        env_type="gymnasium",
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
    )
    action = np.zeros(batch_size, dtype=np.int32)
    action[::2] = 1
    if batch_size == num_envs:
        pool.reset()
        return lambda: pool.step(action)
    pool.async_reset()

    def recv_and_send() -> None:
        info = pool.recv()[4]
        pool.send(action, info["env_id"])

    return recv_and_send


def gymnasium_call(num_envs: int) -> Callable[[], Any]:
    """One step of Gymnasium's own vectorised CartPole, all environments in one NumPy expression."""
    from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

    envs = CartPoleVectorEnv(num_envs=num_envs)
    envs.reset(seed=42)
    action = np.zeros(num_envs, dtype=np.int64)
    action[::2] = 1
    return lambda: envs.step(action)


def serve(call: Callable[[], Any]) -> None:
    """Runs rounds of `call` until standard input ends."""
    print("ready", flush=True)
    for line in sys.stdin:
        calls = range(json.loads(line)["calls"])
        cpu, start = time.process_time(), time.perf_counter()
        for _ in calls:
            call()
        wall = time.perf_counter() - start
        print(json.dumps({"wall": wall, "cpu": time.process_time() - cpu}), flush=True)


def main() -> None:
    """Makes what the first argument asks for, and steps it."""
    work = json.loads(sys.argv[1])
    side = work.pop("side")
    serve(gymnasium_call(**work) if side == "gymnasium" else envpool_call(**work))


if __name__ == "__main__":
    main()
