# SPDX-License-Identifier: Apache-2.0
"""Options of every kind are refused at once, or work; each changes something."""

from __future__ import annotations

from envpool_highway import FAMILY
from option_values import option_effects_test, option_values_test

IDS = [task.id for task in FAMILY.envpool_tasks()]
test_option_values = option_values_test(IDS)
# Some roads have no cars off the road, obstacles or routes; one agent alone is not several agents.
test_option_effects = option_effects_test(
    IDS,
    steps=20,
    without=[
        *("neighbour_vehicles_connected_lanes", "multi_agent", "observation_include_obstacles"),
        *("offroad_terminal", "observation_observe_intentions"),
    ],
)
