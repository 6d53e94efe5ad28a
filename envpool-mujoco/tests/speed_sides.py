# SPDX-License-Identifier: Apache-2.0
"""MuJoCo's own `mujoco.batch` and `mujoco.rollout`: physics without observations, rewards, ends."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

BATCHES = 64  # of actions, used in turn
SEED = 1


class Worlds(NamedTuple):
    """The initial values of both sides.

    Attributes:
        model: The model.
        starts: Positions of each simulation.
        actions: Batches of actions for all of them, to be used in turn.
    """

    model: Any
    starts: np.ndarray[Any, Any]
    actions: np.ndarray[Any, Any]


def batch(model: str, num_envs: int, frame_skip: int, num_threads: int) -> Callable[[], Any]:
    """One action of all simulations by `mujoco.batch`, an mjData for each thread."""
    library: Any = importlib.import_module("mujoco.batch")
    start = _worlds(model, num_envs)
    simulations = library.Batch(start.model, nsim=num_envs, nthread=num_threads)
    simulations.bind("qpos")[:] = start.starts
    ctrl = simulations.bind("ctrl")
    turns = itertools.cycle(start.actions)

    def step() -> None:
        ctrl[:] = next(turns)
        simulations.step(nstep=frame_skip)

    return step


def own_model(
    model: str, num_envs: int, frame_skip: int, num_threads: int, stage: str, **options: Any
) -> Callable[[], Any]:
    """One action of all environments of `MujocoXml-v0`, under the controls of `staged_batch`."""
    import envpool

    pool = envpool.make(
        "MujocoXml-v0",
        num_envs=num_envs,
        num_threads=num_threads,
        xml_file=model,
        frame_skip=frame_skip,
        stage=stage,
        max_episode_steps=2**30,
        **options,
    )
    pool.reset()
    # Without the package mujoco: importing it makes MuJoCo read the clock in every step.
    space = pool.action_space
    actions = _actions(space.low.astype(np.float64), space.high.astype(np.float64), num_envs)
    turns = itertools.cycle(actions.astype(np.float32))
    return lambda: pool.step(next(turns))


def staged_batch(
    model: str, num_envs: int, frame_skip: int, num_threads: int, stage: str
) -> Callable[[], Any]:
    """The same by `mujoco.batch`, from the model's own start."""
    mujoco: Any = importlib.import_module("mujoco")
    library: Any = importlib.import_module("mujoco.batch")
    start = _worlds(model, num_envs)
    simulations = library.Batch(start.model, nsim=num_envs, nthread=num_threads)
    simulations.bind("qpos"), simulations.bind("qvel")  # our side's observations
    ctrl = simulations.bind("ctrl")
    turns = itertools.cycle(start.actions.astype(np.float32))
    computed = {"none": mujoco.mjtStage.mjSTAGE_NONE, "all": mujoco.mjtStage.mjSTAGE_ACC}[stage]

    def step() -> None:
        ctrl[:] = next(turns)
        simulations.step(nstep=frame_skip, stage=computed)

    return step


def rollout(model: str, num_envs: int, frame_skip: int, num_threads: int) -> Callable[[], Any]:
    """One action of all simulations by `mujoco.rollout`, which begins from given states."""
    mujoco: Any = importlib.import_module("mujoco")
    library: Any = importlib.import_module("mujoco.rollout")
    start = _worlds(model, num_envs)
    data = [mujoco.MjData(start.model) for _ in range(num_threads)]
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros((num_envs, mujoco.mj_stateSize(start.model, kind)))
    for row, qpos in zip(state, start.starts, strict=True):
        mujoco.mj_resetData(start.model, data[0])
        data[0].qpos[:] = qpos
        mujoco.mj_getState(start.model, data[0], row, kind)
    pool = library.Rollout(nthread=num_threads if num_threads > 1 else 0)
    turns = itertools.cycle(np.repeat(start.actions[:, :, np.newaxis], frame_skip, axis=2))

    def step() -> None:
        states, _ = pool.rollout([start.model] * num_envs, data, state, next(turns))
        state[:] = states[:, -1]

    return step


def _worlds(path: str, num_envs: int) -> Worlds:
    """Simulations that differ by some noise."""
    mujoco: Any = importlib.import_module("mujoco")
    model = mujoco.MjModel.from_xml_path(path)
    rng = np.random.default_rng(SEED)
    starts = model.qpos0 + rng.uniform(-0.1, 0.1, (num_envs, model.nq))
    return Worlds(model, starts, _actions(*model.actuator_ctrlrange.T, num_envs))


def _actions(low: Any, high: Any, num_envs: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(SEED)
    return rng.uniform(low, high, (BATCHES, num_envs, len(low)))
