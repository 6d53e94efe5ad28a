# SPDX-License-Identifier: Apache-2.0
"""One environment of locomotion that starts again and again, here and in dm_control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import locomotion_reference


def ours(task_id: str) -> Callable[[], Any]:
    """A reset of one environment."""
    import envpool

    pool = envpool.make(task_id, "dm", num_envs=1, num_threads=1, seed=1)
    pool.reset()
    return pool.reset


def theirs(task_id: str) -> Callable[[], Any]:
    """The same, which composes and compiles the model."""
    env = locomotion_reference.load(locomotion_reference.LOCOMOTION[task_id], 1)
    env.reset()
    return lambda: env.reset()
