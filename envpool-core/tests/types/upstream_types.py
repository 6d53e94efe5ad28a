# SPDX-License-Identifier: Apache-2.0
"""The types of upstream's modules for mypy: it checks this file, no test runs it."""

from __future__ import annotations

from typing import Any

import envpool
from envpool.atari import AtariGymnasiumEnvPool
from envpool.classic_control.registration import register
from envpool.mujoco.gym import GymAntEnvSpec
from envpool.python.api import py_env
from envpool.python.lax import XlaMixin
from envpool.python.protocol import DMEnvPool, EnvPool, GymnasiumStepReturn
from envpool.registration import make_gym
from gymnasium import Space
from typing_extensions import assert_type


def modules(pool: EnvPool, dm_pool: DMEnvPool) -> GymnasiumStepReturn:
    """Names of upstream are the classes here; classes of tasks may be anything."""
    assert_type((AtariGymnasiumEnvPool, GymAntEnvSpec), tuple[Any, Any])
    assert_type(py_env(None, None)[1], type[DMEnvPool])
    assert_type(make_gym("CartPole-v1"), envpool.GymnasiumEnvPool)
    assert_type(dm_pool.spec.gymnasium_action_space, Space[Any])
    assert isinstance(pool, XlaMixin)
    pool.seed([1, 2])
    pool.seed("1")  # type: ignore[arg-type]
    register("CartPole-v1", gym_cls="CartPole")
    return 0  # type: ignore[return-value]
