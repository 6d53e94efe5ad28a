# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of CartPole-v1 on demand, in an environment of its own.

Both sides of a comparison run this same file, each with the Python that has its package, because
two packages named `envpool` cannot live in one process. Every line on standard input is a round to
run, as JSON `{"calls": n}`; the answer is a line with the wall and CPU seconds that it took.

    python _worker.py '{"side": "envpool", "num_envs": 64, "batch_size": 64, "num_threads": 2}'
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def pool_call(
    task: str,
    batches: Callable[[Any], Iterable[Any]],
    num_envs: int,
    batch_size: int,
    **options: Any,
) -> Callable[[], Any]:
    """One step (or recv and send) of a pool, ours or the original: the same lines for both.

    Args:
        task: Its id.
        batches: Batches of actions for an action space, which are used in turn.
        num_envs: As for `make`, and so is the rest.
        batch_size: The pool is asynchronous if it is smaller.
        **options: The rest.
    """
    import envpool

    pool = envpool.make(
        task, env_type="gymnasium", num_envs=num_envs, batch_size=batch_size, **options
    )
    turns = itertools.cycle(batches(pool.action_space))
    if batch_size == num_envs:
        pool.reset()
        return lambda: pool.step(next(turns))
    pool.async_reset()

    def recv_and_send() -> None:
        info = pool.recv()[4]
        pool.send(next(turns), info["env_id"])

    return recv_and_send


def cart_pole_call(num_envs: int, batch_size: int, num_threads: int) -> Callable[[], Any]:
    """The same of CartPole."""
    action = np.zeros(batch_size, dtype=np.int32)
    action[::2] = 1
    return pool_call(
        "CartPole-v1", lambda _: [action], num_envs, batch_size, num_threads=num_threads
    )


def gymnasium_call(num_envs: int) -> Callable[[], Any]:
    """One step of Gymnasium's own vectorised CartPole, all environments in one NumPy expression."""
    from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

    envs = CartPoleVectorEnv(num_envs=num_envs)
    envs.reset(seed=42)
    action = np.zeros(num_envs, dtype=np.int64)
    action[::2] = 1
    return lambda: envs.step(action)


def serve(call: Callable[[], Any], refill: int = 0) -> None:
    """Runs rounds of `call` until standard input ends.

    Args:
        call: What is measured.
        refill: Calls before each round that do not count: what an asynchronous pool has finished
            between two rounds.
    """
    print("ready", flush=True)
    for line in sys.stdin:
        for _ in range(refill):
            call()
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
    serve(gymnasium_call(**work) if side == "gymnasium" else cart_pole_call(**work))


if __name__ == "__main__":
    main()
