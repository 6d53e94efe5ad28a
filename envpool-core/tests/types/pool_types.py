# SPDX-License-Identifier: Apache-2.0
"""The types of pools for mypy: it checks this file, no test runs it."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
from envpool._specs.spec import EnvSpec
from envpool.typing import DmStep, GymnasiumReset, GymnasiumStep
from numpy.typing import NDArray
from typing_extensions import assert_type

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Step = tuple[Any, Floats, Bools, Bools, dict[str, Any]]
Reset = tuple[Any, dict[str, Any]]


def gymnasium_pools(reset: bool) -> None:
    """`make` without an env type, with each name of it, and its short forms."""
    pool = envpool.make("CartPole-v1", num_envs=4)
    assert_type(pool.step([0], [1]), Step)
    assert_type(pool.reset([1], seed=3), Reset)
    assert_type(pool.recv(), Step)
    assert_type(pool.recv(False, timeout=1.0), Step)
    assert_type(pool.recv(reset=True), Reset)
    assert_type(pool.recv(reset), GymnasiumStep | GymnasiumReset)
    assert_type(envpool.make("CartPole-v1", env_type="gymnasium").step([0]), Step)
    assert_type(envpool.make("CartPole-v1", "gym").step([0]), Step)
    assert_type(envpool.make_gym("CartPole-v1").step([0]), Step)
    assert_type(envpool.make_gymnasium("CartPole-v1").step([0]), Step)
    assert_type(pool.render(), NDArray[np.uint8] | Any)
    assert_type(pool.save_state(), list[bytes])
    assert_type(pool.all_env_ids, NDArray[np.int32])
    assert_type(pool.closed, bool)
    assert_type(pool.spec, EnvSpec)
    assert_type(pool.spec.id, str)
    assert_type(pool.spec.options, dict[str, Any])
    assert_type(pool.spec.max_episode_steps, int)
    with envpool.make("CartPole-v1") as inner:
        assert_type(inner.step([0]), Step)


def options_of_every_task() -> None:
    """Types of options that every task has; a task's own may be anything."""
    envpool.make("CartPole-v1", num_envs=2, seed=[1, 2], render_mode="rgb_array", own_option="any")
    envpool.make_spec("CartPole-v1", "dm", autoreset_mode="disabled")
    envpool.make("CartPole-v1", num_envs="2")  # type: ignore[call-overload]
    envpool.make_dm("CartPole-v1", num_envs="2")  # type: ignore[arg-type]
    envpool.make_gymnasium("CartPole-v1", autoreset_mode="next")  # type: ignore[arg-type]


def vector_pools() -> None:
    """`make(task_id, "vector")`."""
    pool = envpool.make("CartPole-v1", "vector")
    assert_type(pool.step([0]), Step)
    assert_type(pool.reset(seed=[1, None], options={"reset_mask": [True]}), Reset)
    assert_type(pool.recv(), Step)
    assert_type(pool.recv(reset=True), Reset)
    assert_type(pool.render(), tuple[NDArray[np.uint8], ...] | Any)
    pool.step([0], [0])  # type: ignore[call-arg]  # a vector has no subsets


def dm_pools() -> None:
    """`make(task_id, "dm")` and `make_dm`."""
    pool = envpool.make("CartPole-v1", "dm")
    assert_type(envpool.make_dm("CartPole-v1").reset(), DmStep)
    assert_type(pool.reset([0], seed=3), DmStep)
    assert_type(pool.recv(), DmStep)
    step = pool.step([0])
    assert_type(step, DmStep)
    assert_type(step.reward, Floats)
    assert_type(step.discount, Floats)
    assert_type(step.step_type, NDArray[np.int32])
    assert_type(step.first() | step.last(), Bools)
    assert_type(step.observation, Any)
    *_, observation = step
    assert_type(observation, Any)
