# SPDX-License-Identifier: Apache-2.0
"""Beside the installed Gymnasium, whose wheel has the models.

The session `beside` runs this file with the versions that other libraries pin.
"""

from __future__ import annotations

from importlib import metadata

import envpool
import numpy_rounding  # noqa: F401 (before NumPy)
import pytest
from envpool.errors import MissingPackageError
from gymnasium_reference import compare
from robots import ROBOTS

OLD = metadata.version("gymnasium").startswith("0.")
WITHOUT_MODEL = {"Pusher-v5", "Swimmer-v4", "Swimmer-v5", "Walker2d-v5"} if OLD else set()
STEPS = 60


@pytest.mark.parametrize("task_id", [f"{robot}-v{rules}" for robot in ROBOTS for rules in (5, 4)])
def test_robots_beside_this_gymnasium(task_id: str) -> None:
    """Equal to its own tasks; 0.29 has no version 5, but the models of some robots of it."""
    if task_id in WITHOUT_MODEL:
        with pytest.raises(MissingPackageError, match=r"gymnasium 0\..*pip install"):
            envpool.make(task_id)
    elif OLD and task_id.endswith("-v5"):
        with envpool.make(task_id, num_envs=2) as pool:
            assert pool.observation_space.contains(pool.reset()[0][0])
    else:
        comparison = compare(task_id, STEPS)
        assert comparison.equal, comparison.differing
