# SPDX-License-Identifier: Apache-2.0
"""Classes of the fake environment, made as EnvPool's documentation makes them."""

from __future__ import annotations

from envpool.python.api import py_env
from fake_family import COUNTER

CounterEnvSpec, CounterDMEnvPool, CounterGymnasiumEnvPool = py_env(COUNTER, COUNTER)
