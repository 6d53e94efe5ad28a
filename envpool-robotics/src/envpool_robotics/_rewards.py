# SPDX-License-Identifier: Apache-2.0
"""Rewards for batches of goals, for hindsight replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from envpool.errors import ConfigError
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
GOAL_SIZES = {"Fetch": 3, "HandReach": 15, "HandManipulate": 7, "PointMaze": 2, "AntMaze": 2}
"""The size of a goal, by environment."""


def compute_reward(
    env: str,
    settings: Mapping[str, Any],
    achieved_goal: ArrayLike,
    desired_goal: ArrayLike,
    info: Any,
) -> NDArray[Any]:
    """The reward of achieving one goal while another was desired: `pool.compute_reward`.

    Args:
        env: "Fetch", "HandReach", "HandManipulate", "PointMaze" or "AntMaze".
        settings: The options of the pool on which rewards depend.
        achieved_goal: (..., n), the achieved goal; n is in `GOAL_SIZES`.
        desired_goal: (..., n), the desired goal. Its leading axes broadcast with those of
            `achieved_goal`, as NumPy's do.
        info: Ignored; Gymnasium's goal environments have it.

    Returns:
        (...): float32 for sparse rewards, float64 for dense rewards and for mazes.

    Raises:
        ConfigError: If goals are not numbers, have another size, or their batches do not match.
    """
    del info
    achieved = _goals("achieved_goal", achieved_goal, GOAL_SIZES[env])
    desired = _goals("desired_goal", desired_goal, GOAL_SIZES[env])
    _check_batches(achieved, desired)
    sparse = settings["reward_type"] == "sparse"
    if env == "HandManipulate":
        metres, angle = _manipulation(achieved, desired, settings)
        if not sparse:
            return np.asarray(-(10.0 * metres + angle))
        near = metres < settings["distance_threshold"]
        return np.asarray((near & (angle < settings["rotation_threshold"])).astype(np.float32) - 1)
    distance = np.linalg.norm(achieved - desired, axis=-1)
    if env in ("PointMaze", "AntMaze"):
        return np.asarray((distance <= 0.45).astype(np.float64) if sparse else np.exp(-distance))
    if not sparse:
        return np.asarray(-distance)
    return np.asarray(-(distance > settings["distance_threshold"]).astype(np.float32))


def _goals(name: str, given: ArrayLike, size: int) -> NDArray[Any]:
    """The goals as an array. Raises ConfigError unless its last axis has `size` numbers."""
    allowed = f"numbers of shape (..., {size}), of dtype float or int"
    try:
        goals = np.asarray(given)
    except ValueError as cause:  # rows of different lengths
        raise _refused(name, str(cause), allowed, "Pass an array") from None
    if goals.dtype.kind not in "fiu":
        raise _refused(name, f"the dtype {goals.dtype}", allowed, "Pass an array of numbers")
    if goals.shape[-1:] != (size,):
        hint = "Pass goals as the observation has them"
        raise _refused(name, f"the shape {goals.shape}", allowed, hint)
    return goals


def _check_batches(achieved: NDArray[Any], desired: NDArray[Any]) -> None:
    try:
        np.broadcast_shapes(achieved.shape, desired.shape)
    except ValueError:
        got = f"the shape {desired.shape} beside achieved_goal of {achieved.shape}"
        allowed = "leading axes that match those of achieved_goal"
        raise _refused("desired_goal", got, allowed, "Pass one goal for each") from None


def _refused(name: str, got: str, allowed: str, hint: str) -> ConfigError:
    return ConfigError(f"pool.compute_reward({name}=...)", got, allowed, hint)


def _manipulation(a: Array, b: Array, settings: Mapping[str, Any]) -> tuple[Array, Array]:
    """Metres between two places, and rad between two rotations."""
    metres = np.zeros(a.shape[:-1])
    if settings["target_position"] != "ignore":
        metres = np.linalg.norm(a[..., :3] - b[..., :3], axis=-1)
    turned, wanted = a[..., 3:], b[..., 3:]
    if settings["ignore_z_target_rotation"]:
        euler = _euler(turned)
        # The reference intends this, but on a batch copies the third row in place of the third
        # angle.
        euler[..., 2] = _euler(wanted)[..., 2]
        turned = _quaternion(euler)
    w, x, y, z = np.moveaxis(turned, -1, 0)
    w1, x1, y1, z1 = np.moveaxis(wanted, -1, 0)
    real = w * w1 - x * -x1 - y * -y1 - z * -z1
    return metres, 2 * np.arccos(np.clip(real, -1.0, 1.0))


def _euler(quaternion: Array) -> Array:
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    norm = np.sum(quaternion * quaternion, axis=-1)
    s = 2.0 / norm
    sx, sy, sz = x * s, y * s, z * s
    xx, yy, zz = 1.0 - (y * sy + z * sz), 1.0 - (x * sx + z * sz), 1.0 - (x * sx + y * sy)
    xy, xz, yz = x * sy - w * sz, x * sz + w * sy, y * sz - w * sx
    yx = x * sy + w * sz
    cy = np.sqrt(zz * zz + yz * yz)
    regular = cy > 4 * np.finfo(np.float64).eps
    return np.stack(
        [
            np.where(regular, -np.arctan2(yz, zz), 0.0),
            -np.arctan2(-xz, cy),
            np.where(regular, -np.arctan2(xy, xx), -np.arctan2(-yx, yy)),
        ],
        axis=-1,
    )


def _quaternion(euler: Array) -> Array:
    ai, aj, ak = euler[..., 2] / 2, -euler[..., 1] / 2, euler[..., 0] / 2
    si, sj, sk = np.sin(ai), np.sin(aj), np.sin(ak)
    ci, cj, ck = np.cos(ai), np.cos(aj), np.cos(ak)
    cc, cs, sc, ss = ci * ck, ci * sk, si * ck, si * sk
    parts = [cj * cc + sj * ss, cj * cs - sj * sc, -(cj * ss + sj * cc), cj * sc - sj * cs]
    return np.stack(parts, axis=-1)
