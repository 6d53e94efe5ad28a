# SPDX-License-Identifier: Apache-2.0
"""Steps one pool of a MuJoCo task on demand, in an environment of its own; see _worker.py.

    python _mujoco_worker.py '{"side": "envpool", "task": "Ant-v5", "num_envs": 64, ...}'

The side "rollout" is MuJoCo's own `mujoco.rollout`: the same physics without observations, rewards
and ends.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from _worker import serve

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
    rng = np.random.default_rng(SEED)
    actions = rng.uniform(space.low, space.high, (BATCHES, batch_size, *space.shape))
    actions = actions.astype(space.dtype)
    turn = iter(_turns())
    if batch_size == num_envs:
        pool.reset()
        return lambda: pool.step(actions[next(turn)])
    pool.async_reset()

    def recv_and_send() -> None:
        info = pool.recv()[4]
        pool.send(actions[next(turn)], info["env_id"])

    return recv_and_send


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
    turn = iter(_turns())
    pool = rollout.Rollout(nthread=num_threads if num_threads > 1 else 0)

    def step() -> None:
        states, _ = pool.rollout([loaded] * num_envs, worlds, state, actions[next(turn)])
        state[:] = states[:, -1]

    return step


def _turns() -> Any:
    while True:
        yield from range(BATCHES)


def main() -> None:
    """Makes what the first argument asks for and runs rounds until standard input ends."""
    work = json.loads(sys.argv[1])
    sides: dict[str, Callable[..., Callable[[], Any]]]
    sides = {"rollout": rollout_call, "envpool": pool_call}
    call = sides[work.pop("side")](**work)
    for _ in range(2 * work["num_envs"] // work.get("batch_size", work["num_envs"])):
        call()  # an asynchronous pool is still busy with its resets
    serve(call)


if __name__ == "__main__":
    main()
