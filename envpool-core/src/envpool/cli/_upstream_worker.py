# SPDX-License-Identifier: Apache-2.0
"""Steps a pool of upstream's distribution on demand, run by a Python that has it.

The argument is JSON of a task and options. Each line on standard input is a number of seconds; the
answer is a line of JSON, how many calls and steps there were, and the wall and CPU seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

_BATCHES = 64


def main() -> None:
    """Makes the pool, says so, and serves until the input ends."""
    import envpool
    from envpool.registration import make

    asked = json.loads(sys.argv[1])
    config = asked["config"]
    pool = make(asked["task_id"], env_type="gymnasium", **config)
    rows = config["batch_size"]
    actions = [np.stack([pool.action_space.sample() for _ in range(rows)]) for _ in range(_BATCHES)]
    turn = 0
    synchronous = rows == config["num_envs"]
    if synchronous:
        pool.reset()
    else:
        pool.async_reset()

    def call() -> None:
        nonlocal turn
        turn = (turn + 1) % _BATCHES
        if synchronous:
            pool.step(actions[turn])
        else:
            env_id = pool.recv()[4]["env_id"]
            pool.send(actions[turn], env_id)

    print(json.dumps({"version": envpool.__version__}), flush=True)
    chunk = 1
    for line in sys.stdin:
        chunk, done = _round(call, float(line), chunk)
        print(json.dumps({**done, "steps": done["calls"] * rows}), flush=True)


def _round(call: Callable[[], None], seconds: float, chunk: int) -> tuple[int, dict[str, float]]:
    calls = 0
    cpu, start = time.process_time(), time.perf_counter()
    now = start
    while now - start < seconds:
        before = now
        for _ in range(chunk):
            call()
        calls += chunk
        now = time.perf_counter()
        if now - before < 0.001:  # so that the clock is looked at rarely
            chunk *= 2
    return chunk, {"calls": calls, "wall": now - start, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    main()
