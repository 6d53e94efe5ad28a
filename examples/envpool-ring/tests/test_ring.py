# SPDX-License-Identifier: Apache-2.0
"""Tests the cars on the ring, and the refusals of wrong options."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError

RADIUS, WIDTH = 40, 4
# An observation of all cars at their places.
SEEN: dict[str, Any] = {
    "observation_features": ["presence", "x", "y"],
    "observation_absolute": True,
    "observation_normalize": False,
    "observation_see_behind": True,
    "observation_vehicles_count": 20,
}


def test_cars_stay_on_the_ring() -> None:
    with envpool.make("Ring-v0", num_envs=16, seed=3, **SEEN) as pool:
        obs, _ = pool.reset()
        assert (obs[..., 0].sum(1) == 9).all()
        rng = np.random.default_rng(0)
        for _ in range(60):
            there = obs[..., 0] > 0
            radius = np.hypot(obs[..., 1], obs[..., 2])[there]
            # A car that is hit may leave its lane by a metre or two.
            assert (np.abs(radius - RADIUS - WIDTH) < 1.5 * WIDTH + 2.5).all()
            obs, reward, terminated, _, info = pool.step(rng.integers(0, 5, 16))
            assert ((reward >= -1) & (reward <= 0.4)).all()
            assert (terminated <= info["crashed"]).all()


def test_an_agent_alone_goes_round() -> None:
    """At 10 m/s it is back after a lap of the outermost lane."""
    lap = 2 * np.pi * (RADIUS + 2 * WIDTH)
    options = {**SEEN, "vehicles_count": 0}
    with envpool.make("Ring-v0", num_envs=1, seed=0, policy_frequency=5.0, **options) as pool:
        obs, _ = pool.reset()
        start = obs[0, 0, 1:].copy()
        distances = []
        for _ in range(round(lap / 10 * 5)):
            obs, _, terminated, truncated, _ = pool.step(np.array([1]))
            assert not (terminated or truncated)
            distances.append(np.hypot(*(obs[0, 0, 1:] - start)))
        # It cuts its arcs a little: the last 3 m are its controller's.
        assert max(distances) > 2 * RADIUS and distances[-1] < 3


@pytest.mark.parametrize("options", [{"lanes_count": 0}, {"roundabout_radius": 3.0}])
def test_what_cannot_be_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        envpool.make("Ring-v0", **options)
