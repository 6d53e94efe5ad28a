# SPDX-License-Identifier: Apache-2.0
"""The contract of every kind of pools, for pools of actors."""

from __future__ import annotations

from typing import Any

from counter_pools import *  # noqa: F403
from pool_contract import *  # noqa: F403
from raw_pools import make_raw

EXAMPLES = 10


def make_counter(name: str, autoreset: str = "next_step", **config: Any) -> Any:
    actors = min(2, config.get("num_envs", 1))
    own = {"num_actors": actors, "cpus_per_actor": 1, "num_threads": 1}
    return make_raw("ray:Counter-v0", autoreset, **{**own, **config})
