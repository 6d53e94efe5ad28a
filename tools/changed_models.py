# SPDX-License-Identifier: Apache-2.0
"""Whole models of MuJoCo's package with the fields of an environment."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

mujoco: Any = importlib.import_module("mujoco")
STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS


def whole_model(
    pool: Any, model: Any, names: Sequence[str], env_id: int, placed: Sequence[str] = ()
) -> None:
    """Writes fields of an environment into a model; MuJoCo computes the dependent fields.

    Args:
        pool: A pool of a family on envpool-mujoco.
        model: A whole model; it is changed.
        names: Fields, as keys of `randomize`.
        env_id: Of the environment.
        placed: Fields that the task itself sets at a start; no other field is recomputed from them.
    """

    def write(name: str) -> None:
        field = name.partition("[")[0].partition("/")[0]
        owner = model.opt if field.startswith("opt.") else model
        array = np.asarray(getattr(owner, field.removeprefix("opt.")))
        values = pool.model_fields(field, env_id)[0]
        if array.ndim:
            array[:] = values.reshape(array.shape)
        else:
            setattr(owner, field.removeprefix("opt."), values.item())

    for name in names:
        write(name)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    for name in placed:
        write(name)


def check_rollouts(
    pool: Any, model: Any, names: Sequence[str], steps: int, placed: Sequence[str] = ()
) -> None:
    """Compares each environment's model, and its steps, with a whole changed model.

    Fails unless every common field, and the state after every step, is equal to the bit, and
    differs from that of the unchanged model. The arguments are those of `whole_model`.
    """
    rng = np.random.default_rng(0)
    limited = model.actuator_ctrllimited[:, np.newaxis] != 0
    low, high = np.where(limited, model.actuator_ctrlrange, [-1.0, 1.0]).T
    controls = rng.uniform(low, high, (len(pool), steps, model.nu))
    starts = pool.physics_states()
    states, _ = pool.rollout(starts, controls)
    unchanged = _steps(model, starts[0], controls[0])
    assert not np.array_equal(states[0], unchanged)
    for env_id in range(len(pool)):
        changed = copy.copy(model)
        whole_model(pool, changed, names, env_id, placed)
        differing = [
            name for name in _fields(changed)
            if not np.array_equal(getattr(changed, name).ravel(), _read(pool, name, env_id))
        ]  # fmt: skip
        assert not differing
        assert np.array_equal(states[env_id], _steps(changed, starts[env_id], controls[env_id]))


def _fields(model: Any) -> list[str]:
    """Names of arrays of floats, except pairs, which ours may list where a model has none."""
    names = []
    for name in dir(model):
        if name.startswith(("_", "pair_", "mesh_", "tex_", "skin_", "hfield_", "bvh_", "oct_")):
            continue
        value = getattr(model, name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            names.append(name)
    assert "body_invweight0" in names
    return names


def _read(pool: Any, name: str, env_id: int) -> Any:
    return pool.model_fields(name, env_id)[0].ravel()


def _steps(model: Any, start: Any, controls: Any) -> Any:
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, start, STATE)
    states = np.empty((len(controls), len(start)))
    for state, control in zip(states, controls, strict=True):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        mujoco.mj_getState(model, data, state, STATE)
    return states
