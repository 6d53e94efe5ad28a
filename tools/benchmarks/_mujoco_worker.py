# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of a MuJoCo task on demand, in an environment of its own; see _worker.py.

    python _mujoco_worker.py '{"side": "envpool", "task": "Ant-v5", "num_envs": 64, ...}'

The side "rollout" is MuJoCo's own `mujoco.rollout`: the same physics without observations, rewards
and ends.
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

BATCHES = 64  # of actions, used in turn
SEED = 1


def envpool_call(task: str, num_envs: int, batch_size: int, **options: Any) -> Callable[[], Any]:
    """One step (or recv and send) of a pool, ours or the original."""

    def batches(space: Any) -> Any:
        shape = (BATCHES, batch_size, *space.shape)
        drawn = np.random.default_rng(SEED).uniform(space.low, space.high, shape)
        return drawn.astype(space.dtype)

    return pool_call(task, batches, num_envs, batch_size, seed=SEED, **options)


def rollout_call(
    model: str, num_envs: int, frame_skip: int, num_threads: int, **_: Any
) -> Callable[[], Any]:
    """One action of all simulations by `mujoco.rollout`, which begins from given states."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    loaded = mujoco.MjModel.from_xml_path(model)
    worlds = [mujoco.MjData(loaded) for _ in range(num_threads)]
    size = mujoco.mj_stateSize(loaded, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((num_envs, size))
    first = mujoco.MjData(loaded)
    rng = np.random.default_rng(SEED)
    for row in state:
        mujoco.mj_resetData(loaded, first)
        first.qpos[:] += rng.uniform(-0.1, 0.1, loaded.nq)
        mujoco.mj_getState(loaded, first, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    low, high = loaded.actuator_ctrlrange.T
    actions = rng.uniform(low, high, (BATCHES, num_envs, 1, loaded.nu))
    actions = np.repeat(actions, frame_skip, axis=2)
    turns = itertools.cycle(actions)
    pool = rollout.Rollout(nthread=num_threads if num_threads > 1 else 0)

    def step() -> None:
        states, _ = pool.rollout([loaded] * num_envs, worlds, state, next(turns))
        state[:] = states[:, -1]

    return step


def main() -> None:
    """Makes what the first argument asks for and runs rounds until standard input ends."""
    work = json.loads(sys.argv[1])
    sides: dict[str, Callable[..., Callable[[], Any]]]
    sides = {"rollout": rollout_call, "envpool": envpool_call}
    call = sides[work.pop("side")](**work)
    shares = work["num_envs"] // work.get("batch_size", work["num_envs"])
    for _ in range(2 * shares):
        call()  # an asynchronous pool is still busy with its resets
    serve(call, refill=shares if shares > 1 else 0)


if __name__ == "__main__":
    main()
