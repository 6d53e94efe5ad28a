# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of a MuJoCo task on demand, in an environment of its own; see _worker.py.

    python _mujoco_worker.py '{"side": "envpool", "task": "Ant-v5", "num_envs": 64, ...}'

The sides "batch" and "rollout" are MuJoCo's own `mujoco.batch` and `mujoco.rollout`: the same
physics without observations, rewards and ends.
"""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

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


class Worlds(NamedTuple):
    """What MuJoCo's own sides begin with.

    Attributes:
        model: The model.
        starts: Positions of each simulation.
        actions: Batches of actions for all of them, to be used in turn.
    """

    model: Any
    starts: np.ndarray[Any, Any]
    actions: np.ndarray[Any, Any]


def worlds(path: str, num_envs: int) -> Worlds:
    """Simulations that differ by some noise."""
    mujoco: Any = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_path(path)
    rng = np.random.default_rng(SEED)
    starts = model.qpos0 + rng.uniform(-0.1, 0.1, (num_envs, model.nq))
    low, high = model.actuator_ctrlrange.T
    return Worlds(model, starts, rng.uniform(low, high, (BATCHES, num_envs, model.nu)))


def batch_call(
    model: str, num_envs: int, frame_skip: int, num_threads: int, **_: Any
) -> Callable[[], Any]:
    """One action of all simulations by `mujoco.batch`, an mjData for each thread."""
    batch: Any = importlib.import_module("mujoco.batch")
    start = worlds(model, num_envs)
    simulations = batch.Batch(start.model, nsim=num_envs, nthread=num_threads)
    simulations.bind("qpos")[:] = start.starts
    ctrl = simulations.bind("ctrl")
    turns = itertools.cycle(start.actions)

    def step() -> None:
        ctrl[:] = next(turns)
        simulations.step(nstep=frame_skip)

    return step


def rollout_call(
    model: str, num_envs: int, frame_skip: int, num_threads: int, **_: Any
) -> Callable[[], Any]:
    """One action of all simulations by `mujoco.rollout`, which begins from given states."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    start = worlds(model, num_envs)
    data = [mujoco.MjData(start.model) for _ in range(num_threads)]
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros((num_envs, mujoco.mj_stateSize(start.model, kind)))
    for row, qpos in zip(state, start.starts, strict=True):
        mujoco.mj_resetData(start.model, data[0])
        data[0].qpos[:] = qpos
        mujoco.mj_getState(start.model, data[0], row, kind)
    pool = rollout.Rollout(nthread=num_threads if num_threads > 1 else 0)
    turns = itertools.cycle(np.repeat(start.actions[:, :, np.newaxis], frame_skip, axis=2))

    def step() -> None:
        states, _ = pool.rollout([start.model] * num_envs, data, state, next(turns))
        state[:] = states[:, -1]

    return step


def main() -> None:
    """Makes what the first argument asks for and runs rounds until standard input ends."""
    work = json.loads(sys.argv[1])
    sides: dict[str, Callable[..., Callable[[], Any]]]
    sides = {"batch": batch_call, "rollout": rollout_call, "envpool": envpool_call}
    call = sides[work.pop("side")](**work)
    shares = work["num_envs"] // work.get("batch_size", work["num_envs"])
    for _ in range(2 * shares):
        call()  # an asynchronous pool is still busy with its resets
    serve(call, refill=shares if shares > 1 else 0)


if __name__ == "__main__":
    main()
