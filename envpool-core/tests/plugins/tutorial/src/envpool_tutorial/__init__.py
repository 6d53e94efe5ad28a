# SPDX-License-Identifier: Apache-2.0
"""CartPole after the documentation's page; its `__init__.py`, as the page has it."""

from envpool.python.api import py_env

from .classic_control_envpool import _CartPoleEnvPool, _CartPoleEnvSpec

(
    CartPoleEnvSpec,
    CartPoleDMEnvPool,
    CartPoleGymnasiumEnvPool,
) = py_env(_CartPoleEnvSpec, _CartPoleEnvPool)

__all__ = [
    "CartPoleDMEnvPool",
    "CartPoleEnvSpec",
    "CartPoleGymnasiumEnvPool",
]
