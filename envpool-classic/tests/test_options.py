# SPDX-License-Identifier: Apache-2.0
"""Invalid constructor arguments: each is a ConfigError that names it and the remedy."""

from __future__ import annotations

from typing import Any

import envpool
import pytest
from envpool.errors import ConfigError

NAN, INF = float("nan"), float("inf")
CASES: list[tuple[str, dict[str, Any], str, str]] = [
    # task, argument, allowed values, and the hint
    ("Catch-v0", {"height": 1}, "2 or more", "Pass a larger number"),
    ("Catch-v0", {"width": 0}, "1 or more", "Pass a larger number"),
    ("Catch-v0", {"width": 2.5}, "a whole number", ""),
    ("CartPole-v1", {"sutton_barto_reward": "maybe"}, "True or False", ""),
    ("Pendulum-v1", {"g": NAN}, "finite numbers", "Correct"),
    ("Pendulum-v1", {"g": -INF}, "finite numbers", "Correct"),
    ("Pendulum-v1", {"g": "9.81"}, "a number", ""),
    ("Pendulum-v1", {"g": [9.81]}, "a number", ""),
    ("Pendulum-v1", {"version": 2}, "0, 1", "Pass one of them"),
    ("MountainCar-v0", {"goal_velocity": NAN}, "finite numbers", "Correct"),
    ("MountainCarContinuous-v0", {"goal_velocity": INF}, "finite numbers", "Correct"),
    ("FrozenLake-v1", {"size": 5}, "4, 8", "map of your own as desc"),
    ("FrozenLake-v1", {"map_name": "8x9"}, "'4x4', '8x8', ''", "Did you mean '8x8'"),
    ("FrozenLake-v1", {"map_name": 8}, "a string", ""),
    ("FrozenLake-v1", {"desc": ["SFG", "FF"]}, "rows of one length", "Correct the row"),
    ("FrozenLake-v1", {"desc": ["SFX"]}, "the letters S, F, H and G", "Correct the row"),
    ("FrozenLake-v1", {"desc": ["FFG"]}, "one S or more", "Put an S where"),
    ("FrozenLake-v1", {"desc": [""]}, "rows of one length", "Correct the row"),
    ("FrozenLake-v1", {"desc": "SFFG"}, "a list of strings", ""),
    ("FrozenLake-v1", {"desc": [1, 2]}, "a list of strings", ""),
    ("FrozenLake-v1", {"success_rate": 1.5}, "0 .. 1", "Pass a probability"),
    ("FrozenLake-v1", {"success_rate": NAN}, "finite numbers", "Correct"),
    ("FrozenLake-v1", {"reward_schedule": ["a", 1, 2]}, "a list of numbers", ""),
    ("FrozenLake-v1", {"reward_schedule": [1, 0]}, "3 numbers", "Pass three"),
    ("FrozenLake-v1", {"reward_schedule": [1, NAN, 0]}, "finite numbers", "Correct"),
    ("FrozenLake-v1", {"is_slippery": "no"}, "True or False", ""),
    ("FrozenLake-v1", {"is_sliperry": True}, "", "Did you mean 'is_slippery'"),
    ("CliffWalking-v1", {"is_slippery": "no"}, "True or False", ""),
    ("Taxi-v4", {"rainy_probability": 1.5}, "0 .. 1", "Pass a probability"),
    ("Taxi-v4", {"fickle_probability": NAN}, "finite numbers", "Correct"),
    ("Taxi-v4", {"is_rainy": "yes"}, "True or False", ""),
    ("Taxi-v3", {"is_rainy": True}, "", ""),  # an option of the next version
    ("Blackjack-v1", {"natural": "yes"}, "True or False", ""),
    ("Blackjack-v1", {"sab": None}, "True or False", ""),
]


@pytest.mark.parametrize(("task_id", "config", "allowed", "hint"), CASES)
@pytest.mark.parametrize("make", [envpool.make, envpool.make_spec])
def test_a_wrong_argument_is_named(make: Any, task_id, config, allowed, hint) -> None:
    with pytest.raises(ConfigError) as caught:
        make(task_id, **config)
    error = caught.value
    (name,) = config
    assert error.asked.startswith(f"make({task_id!r}, {name}="), error
    assert allowed in error.allowed and hint in error.hint, error
    assert error.hint, error


@pytest.mark.parametrize(
    ("task_id", "config", "states"),
    [
        ("FrozenLake-v1", {"desc": ["SG"]}, 2),
        ("FrozenLake-v1", {"desc": ("SFF", "FHF", "FFG", "HHH")}, 12),
        ("FrozenLake-v1", {"map_name": "8x8", "size": 4}, 64),
        ("FrozenLake8x8-v1", {"map_name": "4x4"}, 16),
    ],
)
def test_maps_that_can_be(task_id, config, states) -> None:
    with envpool.make(task_id, **config) as pool:
        assert pool.observation_space.n == states
        pool.reset()
