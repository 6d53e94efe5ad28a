# SPDX-License-Identifier: Apache-2.0
"""Kinds of pools: the base classes of a family's environments and pools.

Compiled families have all of it from the engine. A family in Python derives its environment from
`EnvBackend`, and its pool from one of these classes:

- `SimulatorPool`, where a simulator steps one environment at a time, or some: in another process,
  in a browser, over a network. The subclass sends requests and reads answers; the class counts
  steps, applies limits and resets automatically.
- `PythonPool`, where a single computation steps many environments, and its results may stay on a
  device. The subclass resets automatically and applies limits itself.
- `PoolBackend`, where the family implements all calls.

    class SocketPool(SimulatorPool):
        def ask_reset(self, ids, seeds): ...    # send a request for each environment
        def ask_step(self, ids, action): ...
        def answers(self, seconds): ...         # read the answers that have come

`envpool.testing.check_task` checks the contract of a pool.
"""

from ._backend import EnvBackend, EnvWrapper, PoolBackend, PoolWrapper
from ._pools import refusals
from ._pools.arguments import NUM_COMMON, ActionRows, ActionSpec, Ids, PythonArguments
from ._pools.in_flight import InFlight, Rows
from ._pools.layout import ALL_ROWS, OWN, Layout, merge_infos
from ._pools.python_pool import PythonPool
from ._pools.simulator_pool import Answer, SimulatorPool
from ._specs.described import (
    COMMON_OPTIONS,
    OPTION_RANGES,
    array,
    common_action,
    common_state,
)
from ._version import API_VERSION

__all__ = [
    "ALL_ROWS",
    "API_VERSION",
    "COMMON_OPTIONS",
    "NUM_COMMON",
    "OPTION_RANGES",
    "OWN",
    "ActionRows",
    "ActionSpec",
    "Answer",
    "EnvBackend",
    "EnvWrapper",
    "Ids",
    "InFlight",
    "Layout",
    "PoolBackend",
    "PoolWrapper",
    "PythonArguments",
    "PythonPool",
    "Rows",
    "SimulatorPool",
    "array",
    "common_action",
    "common_state",
    "merge_infos",
    "refusals",
]
