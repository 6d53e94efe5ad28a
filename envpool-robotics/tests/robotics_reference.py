# SPDX-License-Identifier: Apache-2.0
"""Plays a task of Gymnasium-Robotics beside ours, and says what differs.

    differences = compare("FetchPush-v4", steps=500)
    assert not differences.found, differences

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
from differences import Differences

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
"""Those of the comparison, in the order of the masks."""


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


def compare(
    task_id: str,
    steps: int,
    num_envs: int = 4,
    seed: int = 5,
    reference: str = "",
    ours: Mapping[str, Any] | None = None,
    **options: Any,
) -> Differences:
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
    differences = Differences()
    references = [make_reference(reference or task_id, **options) for _ in range(num_envs)]
    rng = np.random.default_rng(seed)
    space = references[0].action_space
    assert isinstance(space, gymnasium.spaces.Box)
    with envpool.make(task_id, num_envs=num_envs, seed=seed, **(ours or {}), **options) as pool:
        assert pool.action_space == space
        observations, info = pool.reset()
        for i, env in enumerate(references):
            theirs = env.reset(seed=seed + i)
            _look_at("obs", differences, observations, theirs[0], i)
            _look_at_infos(differences, info, theirs[1], i)
        ended = [False] * num_envs
        for _ in range(steps):
            actions = rng.uniform(-1.0, 1.0, (num_envs, *space.shape)).astype(space.dtype)
            obs, rewards, terminated, truncated, info = pool.step(actions)
            differences.steps += num_envs
            for i, env in enumerate(references):
                if ended[i]:
                    wanted, told = env.reset()
                    reward, ends = 0.0, (False, False)
                    differences.episodes += 1
                else:
                    wanted, reward, *ends, told = env.step(actions[i])
                    _look_at_computed(differences, pool, obs, i, reward)
                ended[i] = any(ends)
                _look_at("obs", differences, obs, wanted, i)
                differences.look("reward", rewards[i], np.float32(reward))
                differences.look("terminated", terminated[i], ends[0])
                differences.look("truncated", truncated[i], ends[1])
                _look_at_infos(differences, info, told, i)
    return differences


def compare_starts(task_id: str, seeds: int, reference: str = "", **options: Any) -> list[int]:
    """The seeds, from 0 on, whose first observation differs."""
    env = make_reference(reference or task_id, **options)
    differing = []
    with envpool.make(task_id, num_envs=seeds, seed=0, **options) as pool:
        observations, _ = pool.reset()
        for seed in range(seeds):
            found = Differences()
            _look_at("obs", found, observations, env.reset(seed=seed)[0], seed)
            if found.found:
                differing.append(seed)
    return differing


def _look_at(name: str, differences: Differences, ours: Any, theirs: Any, i: int) -> None:
    """Compares trees of arrays: row `i` of ours."""
    if not isinstance(theirs, Mapping):
        return differences.look(name, ours[i], theirs)
    assert set(ours) == set(theirs), (set(ours), set(theirs))
    for key, value in theirs.items():
        _look_at(f"{name} {key}", differences, ours[key], value, i)
    return None


def _look_at_computed(differences: Differences, pool: Any, obs: Any, i: int, reward: Any) -> None:
    if not hasattr(pool, "compute_reward"):
        return
    goals = [obs[name][i : i + 1] for name in ("achieved_goal", "desired_goal")]
    computed = pool.compute_reward(*goals, [{}])
    assert computed.shape == (1,)
    differences.look("compute_reward", computed[0], np.asarray(reward))


def _look_at_infos(
    differences: Differences, ours: Mapping[str, Any], theirs: Mapping[str, Any], i: int
) -> None:
    for name, value in theirs.items():
        wanted: Any = value
        if isinstance(value, list):  # of names, whose order is that of a set
            wanted = np.array([task in value for task in KITCHEN], np.int32)
        if name in ours:
            got = ours[name][i]
            kind = np.asarray(got).dtype.type
            if isinstance(wanted, float) and not isinstance(wanted, np.floating):
                wanted = kind(wanted)
            differences.look(f"info {name}", got, wanted)
        else:
            differences.found[f"info {name}"] = "missing"
