# SPDX-License-Identifier: Apache-2.0
"""Options and parameters of upstream that another name replaces, or that change nothing.

docs/upstream.md has a table of them; `envpool info` and the reference leave them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ..errors import ConfigError

OPTIONS = frozenset({"env_seed", "gym_reset_return_info"})
"""Options of `make`."""
ENV_TYPES = {"gym": "gymnasium"}
"""Env types, and ours in their place."""
_Ids = TypeVar("_Ids")


def check_reset_return_info(given: Mapping[str, object], call: str) -> None:
    """Refuses `gym_reset_return_info=False`."""
    if not given.get("gym_reset_return_info", True):
        then = "Leave it out: reset always returns (observation, info)"
        raise ConfigError(f"{call}gym_reset_return_info=False)", "False", "True", then)


def check_return_info(reset: bool, return_info: bool, task_id: str) -> None:
    """Refuses `recv(reset=True, return_info=False)`."""
    if reset and not return_info:
        raise ConfigError(
            f"recv(reset=True, return_info=False) of {task_id}",
            "False, as for old editions of EnvPool",
            "True: with an observation comes its info",
            "Write `obs, info = pool.recv(reset=True)`",
        )


def one_of(env_id: _Ids, id: _Ids) -> _Ids:
    """The ids of a reset, which have two names; both at once are refused."""
    if env_id is not None and id is not None:
        raise ConfigError("reset(env_id=..., id=...)", "both", "one of the two", "Leave one out")
    return id if env_id is None else env_id
