# SPDX-License-Identifier: Apache-2.0
"""Rewards of parking for batches of goals, for hindsight replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from envpool.errors import ConfigError, shorten
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
_SIZE = 6


def compute_reward(
    weights: Sequence[float],
    achieved_goal: ArrayLike,
    desired_goal: ArrayLike,
    info: Any,
    p: float = 0.5,
) -> Array:
    """The reward of achieving one goal while another was desired: `pool.compute_reward`.

    It is ParkingEnv.compute_reward: minus the weighted sum of differences, to the power of p. The
    reward of a crash is not in it.

    Args:
        weights: The option `reward_weights` of the pool.
        achieved_goal: (..., 6), the achieved goal.
        desired_goal: (..., 6), the desired goal. Its leading axes broadcast with those of
        `achieved_goal`, as NumPy's do.
        info: Ignored; Gymnasium's goal environments have it.
        p: The power.

    Returns:
        (...): float64.

    Raises:
        ConfigError: If goals are not numbers, have another size, or their batches do not match.
    """
    del info
    achieved = _goals("achieved_goal", achieved_goal)
    desired = _goals("desired_goal", desired_goal)
    try:
        away = np.abs(achieved - desired)
    except ValueError:
        raise ConfigError(
            f"compute_reward(achieved_goal of {achieved.shape}, desired_goal of {desired.shape})",
            "batches that do not match",
            "shapes that broadcast",
            "Pass as many of one as of the other",
        ) from None
    # One product after the other, as np.dot of six numbers adds them.
    total = np.zeros(away.shape[:-1])
    for i in range(_SIZE):
        total = total + away[..., i] * float(weights[i])
    return np.asarray(-np.power(total, p))


def _goals(name: str, given: ArrayLike) -> Array:
    try:
        goals = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        goals = np.zeros(())
    if goals.ndim == 0 or goals.shape[-1] != _SIZE:
        raise ConfigError(
            f"compute_reward({name}={shorten(given)})",
            f"an array of shape {goals.shape}",
            f"numbers of shape (..., {_SIZE})",
            "Pass goals as the observation has them",
        )
    return goals
