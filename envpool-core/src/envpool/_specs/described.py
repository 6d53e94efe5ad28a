# SPDX-License-Identifier: Apache-2.0
"""The common options and arrays of all environments, for environments described in Python.

The same as `CommonConfig`, `CommonState` and `CommonAction` of `envpool/env_spec.h`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .._backend import CompiledArray

_INT_MAX = 2**31 - 1
COMMON_OPTIONS: dict[str, object] = {
    "num_envs": 1, "batch_size": 0, "num_threads": 0, "max_num_players": 1,
    "thread_affinity_offset": -1, "base_path": "", "seed": 42, "env_seed": [],
    "gym_reset_return_info": True, "max_episode_steps": _INT_MAX,
}  # fmt: skip
"""Options that every environment has, with their defaults."""
OPTION_RANGES = {
    "num_envs": (1, 2**24),
    "num_threads": (0, 4096),
    "max_num_players": (1, 1),
    "thread_affinity_offset": (-1, 2**16),
    "max_episode_steps": (1, _INT_MAX),
}
"""The values of these options for environments of one player."""


def array(
    name: str,
    dtype: DTypeLike,
    shape: Sequence[int] = (),
    low: Any = None,
    high: Any = None,
    *,
    per_player: bool = False,
    own: bool = True,
    categorical: bool = False,
) -> CompiledArray:
    """One array of a state or an action.

    Args:
        name: "obs", "obs:a.b" or "info:x" of a state, "action" or "a.b" of an action.
        dtype: The elements' dtype.
        shape: The shape of one environment's part, or one player's.
        low: The least values, or a single number for all; None: the dtype's least, -inf for floats.
        high: The greatest.
        per_player: Whether it has a row for each player, as the arrays of an action have.
        own: Whether the environment itself describes it; every environment has the other arrays.
        categorical: Whether its whole numbers name choices: MultiDiscrete.
    """
    kind = np.dtype(dtype)
    lowest, highest = (False, True) if kind.kind == "b" else (-np.inf, np.inf)
    if kind.kind in "iu":
        lowest, highest = np.iinfo(kind).min, min(np.iinfo(kind).max, 2**63 - 1)
    bounds = (lowest if low is None else low), (highest if high is None else high)
    rows = (-1,) if per_player else ()
    least, most = (np.asarray(bound, kind) for bound in bounds)
    return name, kind, (*rows, *shape), least, most, False, (), own, categorical


def common_state() -> list[CompiledArray]:
    """The arrays that every state begins with."""
    return [
        array("info:env_id", np.int32, own=False),
        array("info:players.env_id", np.int32, per_player=True, own=False),
        array("elapsed_step", np.int32, own=False),
        array("done", np.bool_, own=False),
        array("reward", np.float32, per_player=True, own=False),
        array("discount", np.float32, (), 0, 1, per_player=True, own=False),
        array("step_type", np.int32, (), 0, 2, own=False),
        array("trunc", np.bool_, own=False),
        array("terminated", np.bool_, own=False),
    ]


def common_action() -> list[CompiledArray]:
    """The arrays that every action may have."""
    return [
        array("env_id", np.int32, own=False),
        array("players.env_id", np.int32, per_player=True, own=False),
    ]
