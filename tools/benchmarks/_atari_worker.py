# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of an Atari game on demand, in an environment of its own.

    python _atari_worker.py '{"side": "envpool", "game": "pong", "num_envs": 32, "batch_size": 16,
                              "num_threads": 2}'

`side` is "envpool", ours or the original, whichever is installed, or "ale", ale_py.AtariVectorEnv.
Every line on standard input is a round to run, as JSON `{"calls": n}`; the answer is a line with
the wall and CPU seconds that it took. The first line, "ready", comes after some steps.
"""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from _worker import pool_call, serve

SEED = 1
BATCHES = 64  # of random actions, used in turn


def envpool_call(game: str, num_envs: int, batch_size: int, num_threads: int) -> Callable[[], Any]:
    """One step (or recv and send) of a pool, ours or the original."""
    return pool_call(
        "".join(word.capitalize() for word in game.split("_")) + "-v5",
        lambda space: _actions(int(space.n), batch_size, np.int32),
        num_envs,
        batch_size,
        num_threads=num_threads,
        seed=SEED,
    )


def ale_call(game: str, num_envs: int, batch_size: int, num_threads: int) -> Callable[[], Any]:
    """The same of ALE's own vector environment."""
    ale_py = importlib.import_module("ale_py")
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    envs = ale_py.AtariVectorEnv(
        game, num_envs=num_envs, batch_size=batch_size, num_threads=num_threads
    )
    actions = _actions(int(envs.single_action_space.n), batch_size, np.int64)
    turns = itertools.cycle(actions)
    envs.reset(seed=SEED)
    if batch_size == num_envs:
        return lambda: envs.step(next(turns))

    def send_and_recv() -> None:
        envs.send(next(turns))
        envs.recv()

    return send_and_recv


def _actions(count: int, batch_size: int, dtype: type) -> Any:
    return np.random.default_rng(SEED).integers(count, size=(BATCHES, batch_size)).astype(dtype)


def main() -> None:
    """Makes what the first argument asks for and runs rounds until standard input ends."""
    work = json.loads(sys.argv[1])
    call = {"ale": ale_call, "envpool": envpool_call}[work.pop("side")](**work)
    shares = work["num_envs"] // work["batch_size"]
    for _ in range(2 * shares):
        call()  # an asynchronous pool is still busy with its resets
    serve(call, refill=shares if shares > 1 else 0)


if __name__ == "__main__":
    main()
