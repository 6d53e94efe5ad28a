# SPDX-License-Identifier: Apache-2.0
"""Classes of the fake environment, made as EnvPool's documentation makes them."""

from __future__ import annotations

from fake_family import COUNTER as _CounterEnvPool
from fake_family import COUNTER as _CounterEnvSpec

from envpool.python.api import py_env

CounterEnvSpec, CounterDMEnvPool, CounterGymnasiumEnvPool = py_env(_CounterEnvSpec, _CounterEnvPool)
