# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of a Doom task on demand, in an environment of its own; see _worker.py.

    python _vizdoom_worker.py '{"task": "Basic-v1", "num_envs": 8, "batch_size": 8, ...}'

The CPU seconds of an answer are those of the process and of the engines that it has started.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

BATCHES = 64  # of actions, used in turn
SEED = 1


def pool_call(task: str, num_envs: int, batch_size: int, **options: Any) -> Callable[[], Any]:
    """One step (or recv and send) of a pool, ours or the original: the same lines for both."""
    import envpool

    pool = envpool.make(
        task,
        env_type="gymnasium",
        num_envs=num_envs,
        batch_size=batch_size,
        seed=SEED,
        **options,
    )
    space: Any = pool.action_space
    shape = (BATCHES, batch_size, *space.shape)
    actions = np.random.default_rng(SEED).integers(0, 2, shape).astype(np.float64)
    turn = iter(_turns())
    if batch_size == num_envs:
        pool.reset()
        return lambda: pool.step(actions[next(turn)])
    pool.async_reset()

    def recv_and_send() -> None:
        info = pool.recv()[4]
        pool.send(actions[next(turn)], info["env_id"])

    return recv_and_send


def _turns() -> Any:
    while True:
        yield from range(BATCHES)


def cpu_seconds() -> float:
    """CPU time of this process and its engines."""
    return time.process_time() + sum(_of(number) for number in _children())


def _children() -> list[str]:
    found = []
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            parent = (place / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue  # it has just ended
        if int(parent) == os.getpid():
            found.append(place.name)
    return found


def _of(number: str) -> float:
    threads = Path("/proc", number, "task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def main() -> None:
    """Makes what the first argument asks for and runs rounds until standard input ends."""
    work = json.loads(sys.argv[1])
    call = pool_call(**work)
    for _ in range(20):
        call()
    print("ready", flush=True)
    for line in sys.stdin:
        calls = range(json.loads(line)["calls"])
        cpu, start = cpu_seconds(), time.perf_counter()
        for _ in calls:
            call()
        wall = time.perf_counter() - start
        print(json.dumps({"wall": wall, "cpu": cpu_seconds() - cpu}), flush=True)


if __name__ == "__main__":
    main()
