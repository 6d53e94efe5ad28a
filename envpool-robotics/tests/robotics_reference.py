# SPDX-License-Identifier: Apache-2.0
"""Plays a task of Gymnasium-Robotics beside ours, and lists the differences.

    comparison = compare("FetchPush-v4", steps=500)
    assert comparison.equal, comparison.differing

Nothing is allowed to differ: both compute with the same library, and what Python adds to it is
rounded as NumPy rounds it. The reward is the reference's as float32, which a pool returns; where
the task has `compute_reward`, that is compared in float64 as well.
"""

from __future__ import annotations

import contextlib
import io
import types
import warnings
from collections.abc import Mapping
from typing import Any

import envpool
import gymnasium
import mujoco
import numpy as np
from envpool.testing.fidelity import Comparison, StepResult, play_beside

with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import gymnasium_robotics
    from gymnasium_robotics.utils import mujoco_utils

    gymnasium.register_envs(gymnasium_robotics)

ALL_KITCHEN = (
    *("bottom burner", "top burner", "light switch", "slide cabinet", "hinge cabinet"),
    *("microwave", "kettle"),
)


KITCHEN: tuple[str, ...] = ALL_KITCHEN
"""The tasks of the comparison, in the order of the masks."""


def _shim() -> None:
    """Lets the reference run on MuJoCo 3.17.

    Since 3.12 a member of an enum equals no integer of NumPy's, which `in (mjtJoint.X, ...)` asks.
    """
    plain = types.ModuleType("mujoco")
    plain.__dict__.update(mujoco.__dict__)
    names = [name for name in dir(mujoco.mjtJoint) if name.startswith("mjJNT_")]
    plain.mjtJoint = types.SimpleNamespace(**{n: int(getattr(mujoco.mjtJoint, n)) for n in names})
    mujoco_utils.mujoco = plain


_shim()


def make_reference(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """Gymnasium-Robotics' environment."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gymnasium.make(task_id, disable_env_checker=True, **options)


class Reference:
    """Gymnasium-Robotics' environment, whose lists of tasks are masks in a pool."""

    def __init__(self, task_id: str, **options: Any) -> None:
        """Makes it."""
        self.env = make_reference(task_id, **options)
        self.action_space = self.env.action_space

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        observation, info = self.env.reset(seed=seed)
        return observation, _with_masks(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, _with_masks(info)


def _with_masks(info: Mapping[str, Any]) -> dict[str, Any]:
    """Names of tasks are a list in the order of a set."""
    return {
        name: np.array([task in value for task in KITCHEN], np.int32)
        if isinstance(value, list)
        else value
        for name, value in info.items()
    }


def compare(
    task_id: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    reference: str = "",
    ours: Mapping[str, Any] | None = None,
    **options: Any,
) -> Comparison:
    """Steps both with the same random actions; environments that end begin again.

    Args:
        task_id: The task.
        steps: Steps of each environment.
        num_envs: How many environments.
        seed: Of the first one, and of the actions.
        reference: Another id of the reference.
        ours: Options of ours only.
        **options: Options of both.
    """
    references = [Reference(reference or task_id, **options) for _ in range(num_envs)]
    with envpool.make(task_id, num_envs=num_envs, seed=seed, **(ours or {}), **options) as pool:
        assert pool.action_space == references[0].action_space

        def compare_computed(comparison: Comparison, rows: StepResult) -> None:
            for i in range(num_envs) if rows.number else ():
                if not rows.references[i].is_reset:
                    goals = [
                        rows.observation[name][i : i + 1]
                        for name in ("achieved_goal", "desired_goal")
                    ]
                    computed = pool.compute_reward(*goals, [{}])
                    theirs = np.asarray(rows.references[i].reward)
                    comparison.compare("reward computed", computed, theirs[None])

        also = compare_computed if hasattr(pool, "compute_reward") else None
        return play_beside(pool, references, steps=steps, seed=seed, also=also)


def compare_starts(task_id: str, seeds: int, reference: str = "", **options: Any) -> Comparison:
    """Resets with the seeds from 0 on."""
    with envpool.make(task_id, num_envs=seeds, seed=0, **options) as pool:
        return play_beside(pool, [Reference(reference or task_id, **options)] * seeds, steps=0)
